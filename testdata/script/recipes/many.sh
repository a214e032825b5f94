# many.sh RUN DIGEST FIXED TASKS [MODEL]: a run of one model that fixed the first tasks
model=${5:-lab/x}
dir=.cookoff/runs/$1
mkdir -p $dir
at='"at":"2026-01-01T00:00:00Z"'
trials= tasks= i=1
while [ $i -le $4 ]; do
	trials="$trials${trials:+,}{\"id\":\"t00$i\",\"model\":\"$model\",\"task\":\"task $i\",\"n\":1}"
	tasks="$tasks${tasks:+,}\"task $i\""
	i=$((i+1))
done
{
	echo "{\"seq\":1,\"kind\":\"run.started\",$at,\"run\":{\"schema\":\"cookoff.journal/1\",\"id\":\"$1\",\"recipe\":\"Many\",\"digest\":\"$2\",\"models\":[\"$model\"],\"tasks\":[$tasks],\"baseline\":\"$model\",\"confidence\":0.95,\"seed\":1,\"parallel\":1,\"trials\":[$trials]}}"
	i=1
	while [ $i -le $4 ]; do
		status='"status":"fail","cause":"wrong_fix"'
		[ $i -gt $3 ] || status='"status":"pass"'
		echo "{\"seq\":1,\"kind\":\"trial.started\",$at,\"trial\":\"t00$i\",\"attempt\":1,\"start\":{\"id\":\"t00$i\",\"model\":\"$model\",\"task\":\"task $i\",\"n\":1}}"
		echo "{\"seq\":2,\"kind\":\"trial.finished\",$at,\"trial\":\"t00$i\",\"attempt\":1,\"outcome\":{$status,\"stop\":\"done\",\"steps\":1,\"usage\":{\"input\":9,\"output\":1,\"known\":true},\"cost_usd\":0.01,\"seconds\":{\"agent\":1,\"provider\":0,\"tools\":0,\"wait\":0,\"judge\":0},\"counters\":{\"tool_calls\":0}}}"
		i=$((i+1))
	done
	echo "{\"seq\":2,\"kind\":\"run.finished\",$at,\"end\":{\"seconds\":9}}"
} > $dir/journal.jsonl
