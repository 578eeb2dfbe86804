/** The pages that --help prints, made from the option table and the shared prose. Commander wraps their lines. */
import { Help } from 'commander';
import { GROUPS, isOwn, type OptionRow, summaryOf } from '../options/option.js';
import { OPTIONS } from '../options/table.js';
import { GNU_NAME } from '../parse/argv.js';
import { HELP_TOPICS, type HelpTopic, TOPICS } from '../parse/option-values.js';
import {
  DESCRIPTION,
  type Item,
  type ManualBlock,
  SECTIONS,
  type Section,
  SHORT,
  SUMMARY,
  TOPIC_TITLES,
  terms,
} from './manual.js';

/** Columns before each line of a section, as in commander. */
const INDENT = 2;
/** Commander wraps a meaning only if 40 columns are left for it. */
const MAX_TERM_WIDTH = 34;
/** --help without a topic, and its abbreviations. */
const BARE = /^--he(?:lp?)?$/;

type ShownRow = Pick<OptionRow, 'short' | 'long' | 'argument' | 'bare' | 'help' | 'alias' | 'group'>;

interface HelpPage {
  readonly description: readonly string[];
  readonly sections: readonly Pick<Section, 'title' | 'blocks'>[];
}

/**
 * The page about `topic`, or about a topic that follows the bare option in `argv`. Under GNU sort's name, the page with
 * the options of GNU sort, which ignores such a word.
 */
export function helpText(programName: string, topic: HelpTopic, argv: readonly string[] = []): string {
  const help = new Help();
  help.prepareContext({ helpWidth: process.stdout.columns });
  const { description, sections } = programName === GNU_NAME ? gnuPage() : page(topicAfter(argv) ?? topic);
  return [
    `Usage: ${programName} [OPTION]... [FILE]...\n${SUMMARY}\n`,
    ...description.map((paragraph) => `${help.boxWrap(paragraph, help.helpWidth!)}\n`),
    ...sections.map(({ title, blocks }) => `${title}:\n${blocks.map((block) => blockText(block, help)).join('\n')}`),
  ].join('\n');
}

function topicAfter(argv: readonly string[]): HelpTopic | undefined {
  const at = argv.findIndex((word) => BARE.test(word));
  return HELP_TOPICS.find((topic) => at >= 0 && topic === argv[at + 1]);
}

function page(topic: HelpTopic): HelpPage {
  if (topic === 'common') return commonPage();
  if (topic === 'all') return { description: DESCRIPTION, sections: [...groups(OPTIONS), ...SECTIONS] };
  const rows = OPTIONS.filter((row) => row.topic === topic);
  const options = { title: 'Options', blocks: [terms(...rows.flatMap(optionItems))] };
  const sections = SECTIONS.filter((section) => section.topic === topic);
  return { description: [], sections: rows.length === 0 ? sections : [options, ...sections] };
}

function commonPage(): HelpPage {
  const rows = OPTIONS.filter(({ common }) => common);
  const options = terms(...rows.map((row): Item => [optionTerm(row), summaryOf(row.help)]));
  const topics = terms(...TOPICS.map((topic): Item => [topic, TOPIC_TITLES[topic]]), ['all', 'everything']);
  return {
    description: [SHORT.description],
    sections: [
      { title: 'Common options', blocks: [options, SHORT.arguments] },
      { title: 'More, by --help=TOPIC', blocks: [topics] },
    ],
  };
}

function gnuPage(): HelpPage {
  const rows = OPTIONS.filter(({ group }) => !isOwn(group)).map((row) => (row.isGnuSwitch ? asSwitch(row) : row));
  return {
    description: [SHORT.underGnuName],
    sections: [...groups(rows), ...SECTIONS.filter(({ isGnu }) => isGnu)],
  };
}

/** An option whose argument GNU sort's option of this name lacks. */
function asSwitch({ long, group, help }: OptionRow): ShownRow {
  return { long, group, help: summaryOf(help) };
}

/** A section for each group that has any of the rows. */
function groups(rows: readonly ShownRow[]): HelpPage['sections'] {
  return GROUPS.filter((group) => rows.some((row) => row.group === group)).map((group) => ({
    title: group,
    blocks: [terms(...rows.filter((row) => row.group === group).flatMap(optionItems))],
  }));
}

/** An option in full, and the letter that stands for it with a value. */
function optionItems(row: ShownRow): Item[] {
  const item: Item = [optionTerm(row), row.help];
  return row.alias === undefined ? [item] : [item, [`-${row.alias.short}`, row.alias.help]];
}

/** The option as GNU programs write it, `-S, --buffer-size=SIZE`, with all long names in one column. */
function optionTerm({ short, long, argument, bare }: ShownRow): string {
  const value = argument === undefined ? '' : bare === undefined ? `=${argument}` : `[=${argument}]`;
  return `${short === undefined ? '    ' : `-${short}, `}--${long}${value}`;
}

function blockText(block: ManualBlock, help: Help): string {
  const indent = ' '.repeat(INDENT);
  if (typeof block === 'string') return `${help.boxWrap(block, help.helpWidth! - INDENT).replace(/^/gm, indent)}\n`;
  const termWidth = Math.min(MAX_TERM_WIDTH, Math.max(...block.items.map(([term]) => term.length)));
  return block.items
    .map(([term, meaning]) => {
      // The meaning of a longer term is on the next line.
      const isLong = term.length > termWidth;
      return `${isLong ? `${indent}${term}\n` : ''}${help.formatItem(isLong ? '' : term, termWidth, meaning, help)}\n`;
    })
    .join('');
}
