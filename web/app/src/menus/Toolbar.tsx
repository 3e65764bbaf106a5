/** The toolbar: undo, formats and functions for the selected cells. */

import { createMemo, For, Show } from "solid-js";
import { Icon, type IconName, LazyBoundary, LoadError, Menu, MenuCheck, MenuItem, MenuSeparator, lazyComponent, Popover, ToolButton } from "../components/index.ts";
import { BordersTool, FontTools, selectedFormat, Swatch } from "../formatting/index.ts";
import { keyLabel as key } from "../keyboard/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { language, type Message, t } from "../language/index.ts";
import { functionName } from "../settings/index.ts";
import { laterParts, openParts, withLaterParts } from "../workbook/index.ts";

const CellStyles = lazyComponent(() => import("../formatting/CellStyles.tsx").then((module) => module.CellStyles));

const COMMON_FUNCTIONS = ["SUM", "AVERAGE", "COUNT", "MAX", "MIN"] as const;

/** The toolbar. */
export function Toolbar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const format = createMemo(() => selectedFormat(model));
  const formatName = (): Message => {
    const code = format().numberFormat ?? null;
    const parts = laterParts();
    return code === null || !parts ? ("General" satisfies Message) : (parts.numberFormatName(code) ?? ("Custom" satisfies Message));
  };
  return (
    <div class="toolbar" role="toolbar" aria-label={t("Formatting")} aria-description={model.editPermission.disabledReason()}>
      <ToolButton hasPriority isForCommenters icon="undo" label={`${t("Undo")} (${key("mod+z")})`} isDisabled={!model.history().canUndo} onPress={() => model.undo()} />
      <ToolButton hasPriority isForCommenters icon="redo" label={`${t("Redo")} (${key("mod+y")})`} isDisabled={!model.history().canRedo} onPress={() => model.redo()} />
      <ToolButton icon="painter" label={t("Paint format")} isPressed={laterParts()?.formatPainter(model).isOn() ?? false} onPress={() => withLaterParts(model, ({ formatPainter }) => formatPainter(model).toggle())} />
      <Separator />
      <Menu
        label={t("Number format: {name}", { name: t(formatName()) })}
        buttonClass="tool is-wide"
        button={
          <>
            <span class="tool-text">{t(formatName())}</span>
            <Icon name="chevron" />
          </>
        }
        onClosed={() => model.focusCells()}
      >
        <For each={openParts().numberFormats(language())}>
          {({ name, code, example }) => (
            <MenuCheck isChecked={formatName() === name} note={example} onSelect={() => model.format({ numberFormat: code })}>
              {t(name)}
            </MenuCheck>
          )}
        </For>
      </Menu>
      <Separator />
      <FontTools model={model} />
      <Separator />
      <ToolButton
        hasPriority
        icon="bold"
        label={`${t("Bold")} (${key("mod+b")})`}
        isPressed={format().bold ?? false}
        onPress={() => model.toggle("bold")}
      />
      <ToolButton
        hasPriority
        icon="italic"
        label={`${t("Italic")} (${key("mod+i")})`}
        isPressed={format().italic ?? false}
        onPress={() => model.toggle("italic")}
      />
      <ToolButton
        icon="underline"
        label={`${t("Underline")} (${key("mod+u")})`}
        isPressed={format().underline ?? false}
        onPress={() => model.toggle("underline")}
      />
      <ToolButton
        icon="strikethrough"
        label={t("Strikethrough")}
        isPressed={format().strikethrough ?? false}
        onPress={() => model.toggle("strikethrough")}
      />
      <ColorTool
        icon="textColor"
        label={t("Text colour")}
        color={format().textColor ?? undefined}
        noneLabel={t("Automatic")}
        model={model}
        onPick={(textColor) => model.format({ textColor })}
      />
      <ColorTool
        icon="fillColor"
        label={t("Fill colour")}
        color={format().fillColor ?? undefined}
        noneLabel={t("No fill")}
        model={model}
        onPick={(fillColor) => model.format({ fillColor })}
      />
      <BordersTool model={model} />
      <Popover
        label={t("Cell styles")}
        hint={t("Cell styles")}
        buttonClass="tool"
        button={<Icon name="styles" />}
        class="cell-styles-popover"
        onClosed={() => model.focusCells()}
      >
        {(close) => (
          <LazyBoundary failed={(retry) => <LoadError onRetry={retry} />}>
            <CellStyles model={model} close={close} />
          </LazyBoundary>
        )}
      </Popover>
      <Separator />
      <For
        each={
          [
            ["left", "alignLeft", "Align left"],
            ["center", "alignCenter", "Align centre"],
            ["right", "alignRight", "Align right"],
          ] as const
        }
      >
        {([side, icon, label]) => (
          <ToolButton
            icon={icon}
            label={t(label)}
            isPressed={format().horizontal === side}
            onPress={() => model.format({ horizontal: format().horizontal === side ? null : side })}
          />
        )}
      </For>
      <Menu label={t("Vertical alignment")} button={<Icon name={verticalIcon(format().vertical)} />} onClosed={() => model.focusCells()}>
        <For
          each={
            [
              ["top", "alignTop", "Top"],
              ["middle", "alignMiddle", "Middle"],
              ["bottom", "alignBottom", "Bottom"],
            ] as const
          }
        >
          {([vertical, icon, name]) => (
            <MenuCheck icon={icon} isChecked={verticalIcon(format().vertical) === icon} onSelect={() => model.format({ vertical })}>
              {t(name)}
            </MenuCheck>
          )}
        </For>
      </Menu>
      <ToolButton icon="wrap" label={t("Wrap text")} isPressed={format().wrap ?? false} onPress={() => model.toggle("wrap")} />
      <Separator />
      <Menu
        label={t("Functions")}
        button={
          <>
            <Icon name="sum" />
            <Icon name="chevron" />
          </>
        }
        onClosed={() => {
          if (model.dialog() === undefined) {
            model.focusCells();
          }
        }}
      >
        <For each={COMMON_FUNCTIONS}>
          {(name) => <MenuItem onSelect={() => openParts().insertFunction(model, name)}>{functionName(name)}</MenuItem>}
        </For>
        <MenuSeparator />
        <MenuItem onSelect={() => model.openDialog("functions")}>{t("All functions…")}</MenuItem>
      </Menu>
      <ToolButton icon="sort" label={t("Sort…")} onPress={() => model.openDialog("sort")} />
      <Separator />
      <ToolButton icon="chart" label={t("Insert chart")} onPress={() => withLaterParts(model, ({ insertChart }) => model.keys.waitFor(insertChart(model)))} />
      <ToolButton
        needsWorkbook
        icon="comment"
        label={`${t("Comments")} (${key("mod+alt+m")})`}
        isPressed={model.panel() === "comments"}
        onPress={() => (model.panel() === "comments" ? model.closePanel() : model.openPanel("comments"))}
      />
    </div>
  );
}

function verticalIcon(vertical: string | null | undefined): IconName {
  return vertical === "top" ? "alignTop" : vertical === "middle" ? "alignMiddle" : "alignBottom";
}

function Separator() {
  return <span class="toolbar-separator" role="separator" aria-orientation="vertical" />;
}

function ColorTool(props: {
  readonly icon: IconName;
  readonly label: string;
  readonly noneLabel: string;
  readonly color: string | undefined;
  readonly model: WorkbookModel;
  readonly onPick: (color: string | null) => void;
}) {
  return (
    <Popover
      label={props.label}
      hint={props.label}
      buttonClass="tool has-priority"
      button={
        <>
          <Icon name={props.icon} />
          <Show when={props.color} keyed>
            {(color) => <Swatch class="tool-swatch" color={color} />}
          </Show>
        </>
      }
      class="colors"
      onClosed={() => props.model.focusCells()}
    >
      {(close) => {
        const { ColorPicker } = openParts();
        return (
          <ColorPicker
            color={props.color}
            noneLabel={props.noneLabel}
            onPick={(color) => {
              close();
              props.onPick(color);
            }}
          />
        );
      }}
    </Popover>
  );
}
