// A server that speaks OpenAI's chat completions over a model in a GGUF file,
// with llama.cpp as node-llama-cpp brings it. For tests: one request at a time,
// no streaming.
//
//   node server.mjs NODE_MODULES MODEL.gguf
//
// It prints its base URL, and ends with its standard input.
import http from "node:http";
import path from "node:path";
import {pathToFileURL} from "node:url";

const [modules, file] = process.argv.slice(2);
const {getLlama} = await import(pathToFileURL(path.resolve(modules, "node-llama-cpp/dist/index.js")));
const llama = await getLlama({gpu: false, build: "never", progressLogs: false, logLevel: "error", maxThreads: 2});
const model = await llama.loadModel({modelPath: file});
const size = 8192;
const context = await model.createContext({contextSize: size, threads: 2});
const sequence = context.getSequence();

const turn = (role, text) => `<|im_start|>${role}\n${text}<|im_end|>\n`;
const asCall = (c) => `<tool_call>${JSON.stringify({name: c.function.name, arguments: JSON.parse(c.function.arguments || "{}")})}</tool_call>`;

// prompt writes a conversation as ChatML; tools stand in the first message.
function prompt(r) {
    const tools = (r.tools ?? []).map((t) => JSON.stringify(t.function));
    const how = tools.length === 0 ? "" : `\n\nTools:\n${tools.join("\n")}\nTo call one, answer with <tool_call>{"name": …, "arguments": {…}}</tool_call> and nothing else.`;
    let text = "", told = false;
    for (const m of r.messages) {
        const content = [m.content ?? "", ...(m.tool_calls ?? []).map(asCall)].join("\n").trim();
        text += turn(m.role === "tool" ? "user" : m.role, m.role === "tool" ? `<tool_response>${content}</tool_response>` : content + (told ? "" : how));
        told = true;
    }
    return text + "<|im_start|>assistant\n";
}

// calls finds tool calls in what the model wrote.
function calls(text) {
    const found = [];
    for (const [, body] of text.matchAll(/<tool_call>([^]*?)(?:<\/tool_call>|$)/g)) {
        const name = body.match(/"name"\s*:\s*"([^"]*)"/)?.[1];
        let args = body.slice(body.indexOf('"arguments"') + 11).replace(/^\s*:\s*/, "").replace(/\}\s*$/, "");
        try { const c = JSON.parse(body); args = JSON.stringify(c.arguments ?? {}); } catch { /* the caller says what is wrong */ }
        if (name !== undefined) found.push({id: `call_${found.length}`, type: "function", function: {name, arguments: args}});
    }
    return found;
}

async function complete(r) {
    const tokens = model.tokenize(prompt(r), true);
    const max = r.max_tokens ?? r.max_completion_tokens ?? 160;
    if (tokens.length + max > size) throw Object.assign(new Error(`the request has ${tokens.length} tokens, the context size is ${size}`), {code: "context_length_exceeded"});
    await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
    const cached = sequence.contextTokens.length;
    const out = [];
    for await (const t of sequence.evaluate(tokens.slice(cached), {temperature: r.temperature ?? 0, seed: r.seed})) { // without the end's token
        out.push(t);
        if (out.length >= max) break;
    }
    const finish = out.length >= max ? "length" : "stop";
    const text = model.detokenize(out);
    const found = r.tools?.length ? calls(text) : [];
    const message = found.length ? {role: "assistant", content: null, tool_calls: found} : {role: "assistant", content: text.trim()};
    return {
        id: "chatcmpl-local", object: "chat.completion", created: 0, model: path.basename(file, ".gguf"),
        choices: [{index: 0, message, finish_reason: found.length ? "tool_calls" : finish}],
        usage: {prompt_tokens: tokens.length, completion_tokens: out.length, total_tokens: tokens.length + out.length, prompt_tokens_details: {cached_tokens: cached}},
    };
}

let last = Promise.resolve();
const server = http.createServer((req, res) => {
    const parts = [];
    req.on("data", (d) => parts.push(d)).on("end", () => {
        last = last.then(async () => {
            let status = 200, body;
            try { body = await complete(JSON.parse(Buffer.concat(parts))); }
            catch (e) { status = 400; body = {error: {message: e.message, code: e.code ?? "bad_request"}}; }
            res.writeHead(status, {"Content-Type": "application/json"}).end(JSON.stringify(body));
        });
    });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
process.stdin.resume().on("end", () => process.exit(0));
