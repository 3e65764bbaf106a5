/** Tenants (host names of the server) with their quotas. */

import { createSignal, For, Show } from "solid-js";
import { showNumber, t } from "../../language/index.ts";
import { createRemote } from "../remote.ts";
import { Loaded, Section } from "../Section.tsx";
import { readTenants, setTenantQuota, type Tenant, type Usage } from "./admin-data.ts";
import { showBytes } from "./bytes.ts";
import { initialQuota } from "./quota-form.ts";
import { QuotaDialog } from "./QuotaDialog.tsx";

/** Lists tenants with what they use, and changes their quotas. */
export function TenantsSection() {
  const tenants = createRemote(readTenants);
  const [changed, setChanged] = createSignal<Tenant>();
  return (
    <Section title={t("Tenants and quotas")} note={t("Each host name under which this server is reached is a tenant.")}>
      <Loaded of={tenants}>
        {(list) => (
          <ul class="account-rows">
            <For each={list()} fallback={<li class="account-empty">{t("There are no tenants")}</li>}>
              {(tenant) => (
                <li class="account-row">
                  <div class="account-row-texts">
                    <p class="account-row-title">
                      <bdi dir="ltr">{tenant.name}</bdi>
                    </p>
                    <dl class="admin-usages">
                      <UsageBar label={t("Workbooks")} usage={tenant.workbooks} show={showNumber} />
                      <UsageBar label={t("Storage used")} usage={tenant.bytes} show={showBytes} />
                      <UsageBar label={t("People connected")} usage={tenant.sessions} show={showNumber} />
                    </dl>
                  </div>
                  <div class="account-row-actions">
                    <button type="button" class="button" aria-label={t("Change quota: {name}", { name: tenant.name })} onClick={() => setChanged(tenant)}>
                      {t("Change quota")}
                    </button>
                  </div>
                </li>
              )}
            </For>
          </ul>
        )}
      </Loaded>
      <Show when={changed()} keyed>
        {(tenant) => (
          <QuotaDialog
            name={tenant.name}
            stored={initialQuota(tenant)}
            save={(quota) => setTenantQuota(tenant.name, quota)}
            onClose={(isDone) => {
              setChanged(undefined);
              if (isDone) {
                void tenants.reload();
              }
            }}
          />
        )}
      </Show>
    </Section>
  );
}

function UsageBar(props: { readonly label: string; readonly usage: Usage | undefined; readonly show: (amount: number) => string }) {
  return (
    <Show when={props.usage}>
      {(usage) => (
        <div>
          <dt>{props.label}</dt>
          <dd>
            {usage().limit === null ? props.show(usage().used) : t("{used} of {limit}", { used: props.show(usage().used), limit: props.show(usage().limit ?? 0) })}
            <Show when={usage().limit}>{(limit) => <meter min={0} max={limit()} high={limit() * 0.9} value={Math.min(usage().used, limit())} aria-hidden="true" />}</Show>
          </dd>
        </div>
      )}
    </Show>
  );
}
