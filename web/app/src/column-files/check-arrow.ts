/**
 * Checks Arrow data before its values are read: flechette allocates what offsets and lengths state,
 * and damaged ones could use up the memory of the whole page.
 */

import type { ArrowData, Batch, Field } from "@uwdata/flechette";
import { Type } from "@uwdata/flechette/src/constants.js";
import { ColumnFileError, damaged } from "./column-file-error.ts";
import { VALUES_MAX } from "./limits.ts";

/** Types whose values consist of those of other batches. */
const NESTED: ReadonlySet<number> = new Set([
  Type.List,
  Type.LargeList,
  Type.ListView,
  Type.LargeListView,
  Type.FixedSizeList,
  Type.Map,
  Type.Struct,
  Type.Union,
]);

/**
 * Checks the buffers of all batches, and the dictionaries, whose values are read as soon as the batches
 * that refer to them are known.
 */
export function checkBuffers({ schema, dictionaries, records }: ArrowData): void {
  for (const { regions, variadic } of [...(records ?? []), ...(dictionaries ?? []).map(({ data }) => data)]) {
    const count = variadic.reduce((sum, buffers) => sum + Math.max(0, buffers), 0);
    if (count > regions.length) {
      throw damaged(`${count} buffers of texts of ${regions.length} buffers`);
    }
  }
  for (const { data } of dictionaries ?? []) {
    const length = data.nodes[0]?.length ?? 0;
    if (!(length >= 0 && length <= VALUES_MAX)) {
      throw damaged(`a dictionary of ${length} values`);
    }
  }
  const check = ({ name, type }: Field): void => {
    if (type.typeId === Type.Dictionary && NESTED.has(type.dictionary.typeId)) {
      throw new ColumnFileError("columns_not_supported", `column ${name}: a dictionary of lists or structs`);
    }
    if ("children" in type) {
      type.children.forEach(check);
    }
  };
  schema?.fields.forEach(check);
}

/** Checks that the items of all lists in a batch are in it. */
export function checkBatch(batch: Batch<unknown>): void {
  const { type, length, offsets, sizes, children = [] } = batch;
  const itemCount = children[0]?.length ?? 0;
  switch (type.typeId) {
    case Type.List:
    case Type.LargeList:
    case Type.Map:
      for (let index = 0; index < length; index += 1) {
        checkItems(Number(offsets?.[index]), Number(offsets?.[index + 1]), itemCount);
      }
      break;
    case Type.ListView:
    case Type.LargeListView:
      for (let index = 0; index < length; index += 1) {
        const start = Number(offsets?.[index]);
        checkItems(start, start + Number(sizes?.[index]), itemCount);
      }
      break;
    case Type.FixedSizeList:
      checkItems(0, length * type.stride, itemCount);
      break;
    default:
      break;
  }
  children.forEach(checkBatch);
}

function checkItems(start: number, end: number, count: number): void {
  if (!(start >= 0 && start <= end && end <= count)) {
    throw damaged(`items ${start} to ${end} of ${count}`);
  }
}
