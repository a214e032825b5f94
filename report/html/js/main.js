// Light, dark, or as the system has it.
const themes = ["auto", "light", "dark"];
const useTheme = (name) => {
  document.documentElement.dataset.theme = themes.includes(name) ? name : "auto";
  $("#theme").textContent = "Theme: " + document.documentElement.dataset.theme;
};

$("#theme").addEventListener("click", () => {
  const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
  useTheme(next);
  remember("cookoff-theme", next);
});
$("#helper").addEventListener("click", () => $("#keys").showModal());
addEventListener("beforeprint", () => unfold(true));
addEventListener("hashchange", route);

useTheme(remembered("cookoff-theme"));
load($("#data").textContent);
enhance();
route();
poll();
