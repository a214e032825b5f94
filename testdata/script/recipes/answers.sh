# A recipe of twelve tasks that only baseline/oracle solves.
{
	printf '# Many\n\nversion: 1\n\n## Models\n\n- baseline/oracle\n- baseline/noop\n\n## Tasks\n'
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		printf '\n### task %s\n\nWrite yes into answer%s.\n\n```sh after\ngrep -qx yes answer%s\n```\n\n```sh solution\necho yes > answer%s\n```\n' $i $i $i $i
	done
} > many.recipe.md
