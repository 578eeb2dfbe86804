/** Every recipe of the cookbook, in a fresh copy of the fixtures, writes what it shows, and nothing else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampled } from '../support/tier.js';
import { COOKBOOK, type Recipe, read, recipesIn } from './documents.js';
import { linksIn, slugOf } from './links.js';
import { canGnuSort, inNewPlace, missingTools, type Run } from './run-example.js';

const LEAST_RECIPES = 40;
const recipes = recipesIn(COOKBOOK);

/** Writes the files of a recipe and runs its examples, one after the other; `program` as in `inNewPlace`. */
function runRecipe({ files, examples }: Recipe, program?: 'sort'): Promise<Run[]> {
  return inNewPlace(async ({ root, run }) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'fixtures', name), text);
    const runs: Run[] = [];
    for (const { commands } of examples) runs.push(await run(commands, 'fixtures'));
    return runs;
  }, program);
}

describe.concurrent('recipes', () => {
  it.for(sampled(recipes, { count: Infinity, seed: 1 }))('$line: $title', async (recipe, { skip, expect }) => {
    const { files, examples } = recipe;
    const text = [...Object.values(files), ...examples.map(({ commands }) => commands)].join('\n');
    const missing = missingTools(text);
    if (missing.length > 0) skip(`${missing.join(', ')} not installed`);
    const shown = examples.map(({ output }) => ({ status: 0, output: output ?? '' }));
    expect(await runRecipe(recipe)).toEqual(shown);
    if (canGnuSort(text)) expect(await runRecipe(recipe, 'sort')).toEqual(shown);
  });
});

it('has enough recipes, each with commands', () => {
  expect(recipes.length).toBeGreaterThanOrEqual(LEAST_RECIPES);
  expect(recipes.filter(({ examples }) => examples.length === 0)).toEqual([]);
});

it('lists all recipes, in their order', () => {
  const contents = read(COOKBOOK).split(/^## /m)[0];
  const listed = linksIn(COOKBOOK, contents).filter(({ path, anchor }) => path === COOKBOOK && anchor !== '');
  expect(listed.map(({ anchor }) => anchor)).toEqual(recipes.map(({ title }) => slugOf(title)));
});
