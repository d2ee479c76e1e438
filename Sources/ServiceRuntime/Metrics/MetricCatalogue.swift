/// The help text and the unit of every metric, by the name without the registry's prefix.
/// `MetricTests` in TidyTests finds a metric without an entry, and an entry without a metric.
package enum MetricCatalogue {
    /// One metric.
    package struct Entry: Sendable {
        /// The name as on the page, without the prefix.
        package let name: String
        /// What its values are. Decides how the name ends, in a counter before `_total`.
        package let unit: Unit
        /// One sentence for the page's `# HELP`.
        package let help: String

        fileprivate init(_ name: String, _ unit: Unit, _ help: String) {
            self.name = name
            self.unit = unit
            self.help = help
        }
    }

    /// A base unit, by the word with which a name ends.
    /// Source: https://prometheus.io/docs/practices/naming/#base-units
    package enum Unit: String, Sendable {
        /// A duration, or a moment as the time since 1970.
        case seconds
        /// A size.
        case bytes
        /// A number of the things that the name says, or 0 and 1. The name has no suffix for it.
        case number
    }

    /// All metrics of all programs.
    package static let entries: [Entry] =
        program + servedCalls + connections + madeCalls + web + stores + limits + accounts
        + messages

    private static let byName = Dictionary(
        entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The entry of a metric; nil for one that is not in the catalogue.
    package static subscript(name: String) -> Entry? { byName[name] }

    private static let program: [Entry] = [
        Entry("build_info", .number, "1, with the program's name and version."),
        Entry("degraded", .number, "1 while this part of the program fails, else 0."),
        Entry(
            "clock_ahead_seconds", .seconds,
            "How far the machine's clock is ahead of the program's time."),
        Entry(
            "file_reload_failed", .number,
            "1 while the changed file of this setting has mistakes and is not used, else 0."),
        Entry("trace_spans_waiting", .number, "Spans that wait for export to the collector."),
        Entry("trace_spans_exported_total", .number, "Spans that the collector accepted."),
        Entry("trace_spans_dropped_total", .number, "Spans that were dropped, by reason."),
        Entry("process_start_time_seconds", .seconds, "When the process started, since 1970."),
        Entry("process_cpu_seconds_total", .seconds, "User and system CPU time of the process."),
        Entry("process_virtual_memory_bytes", .bytes, "Virtual memory of the process."),
        Entry("process_resident_memory_bytes", .bytes, "Resident memory of the process."),
        Entry("process_threads", .number, "Threads of the process."),
        Entry("process_open_fds", .number, "Open file descriptors of the process."),
        Entry("process_max_fds", .number, "The largest number of open file descriptors."),
    ]

    private static let servedCalls: [Entry] = [
        Entry("rpc_calls_total", .number, "Calls that ended, by method and status."),
        Entry("rpc_call_seconds", .seconds, "Durations of calls, by method."),
        Entry("rpc_in_flight", .number, "Calls that run, by method."),
        Entry("rpc_request_bytes_total", .bytes, "Bytes of requests, by method."),
        Entry("rpc_response_bytes_total", .bytes, "Bytes of responses, by method."),
        Entry("rpc_errors_total", .number, "Responses with an error, by its code."),
        Entry(
            "rpc_refusals_total", .number,
            "Calls that were rejected before they began, by error code."),
        Entry("rpc_server_queue_length", .number, "Calls that wait for a free place, by lane."),
        Entry(
            "rpc_server_queue_wait_seconds", .seconds,
            "Time that calls waited for a free place, by lane."),
        Entry(
            "rpc_server_sheds_total", .number,
            "Calls that were rejected in overload, by lane and reason."),
    ]

    private static let connections: [Entry] = [
        Entry("rpc_connections", .number, "Connections that are open."),
        Entry("rpc_received_bytes_total", .bytes, "Bytes read from connections."),
        Entry("rpc_sent_bytes_total", .bytes, "Bytes written to connections."),
        Entry(
            "rpc_server_connections_refused_total", .number,
            "Connections that were refused or closed at the server's limits, by reason."),
        Entry("rpc_tls_handshakes_total", .number, "TLS handshakes, by side and outcome."),
        Entry(
            "rpc_certificate_left_seconds", .seconds,
            "Time until the certificate expires; negative if it has expired."),
        Entry(
            "rpc_credential_reloads_total", .number,
            "Changed keys and certificates that were read again, by kind and outcome."),
    ]

    private static let madeCalls: [Entry] = [
        Entry(
            "rpc_client_calls_total", .number,
            "Calls to other programs that ended, by target, method and status."),
        Entry(
            "rpc_client_call_seconds", .seconds,
            "Durations of calls to other programs, by target and method."),
        Entry(
            "rpc_client_in_flight", .number,
            "Calls to other programs that run, by target and method."),
        Entry("rpc_client_retries_total", .number, "Calls that were repeated after a failure."),
        Entry(
            "rpc_client_resends_total", .number,
            "Calls that were not processed and were sent to another address."),
        Entry("rpc_client_hedges_total", .number, "Second requests that were sent for slow calls."),
        Entry("rpc_client_breaker_opens_total", .number, "How often a circuit breaker opened."),
        Entry(
            "rpc_client_breakers_open", .number,
            "Event loops whose circuit breaker for the address is open."),
    ]

    private static let web: [Entry] = [
        Entry("web_connections", .number, "HTTP connections that are open."),
        Entry("web_connections_total", .number, "HTTP connections accepted, by HTTP version."),
        Entry(
            "web_requests_total", .number,
            "HTTP requests, by class of status; cancelled if the client left before the response."),
        Entry(
            "web_requests_in_flight", .number,
            "HTTP requests that run, or whose response is not yet taken."),
        Entry(
            "web_request_seconds", .seconds,
            "Durations of HTTP requests, by HTTP/2 until the client has taken the response."),
        Entry("web_received_bytes_total", .bytes, "Bytes read from HTTP connections."),
        Entry("web_sent_bytes_total", .bytes, "Bytes written to HTTP connections."),
        Entry(
            "web_refusals_total", .number,
            "HTTP connections and requests that were refused, by reason."),
        Entry(
            "web_apps_file_rejected_total", .number,
            "Changes of the apps file that were rejected because of mistakes."),
    ]

    private static let stores: [Entry] = [
        Entry("store_commit_seconds", .seconds, "Durations of commits, each of a group of writes."),
        Entry("store_group_flows", .number, "Writes that shared one commit."),
        Entry("store_waiting_writes", .number, "Writes that waited when the last commit began."),
        Entry("store_refused_total", .number, "Writes refused because too many were waiting."),
        Entry(
            "store_account_refused_total", .number,
            "Writes of documents refused because too many of one account were waiting."),
        Entry(
            "store_dropped_total", .number,
            "Reads and writes not begun because their callers had gone."),
        Entry(
            "store_outbox_oldest_seconds", .seconds,
            "Age of the oldest message for another program that is not delivered; 0 if none."),
        Entry(
            "store_last_backup_timestamp_seconds", .seconds,
            "When the last backup was completed, in seconds since 1970; 0 if there was none."),
        Entry(
            "store_repeats_total", .number,
            "Flows of a store on a server that ran again, by cause."),
        Entry(
            "store_unknown_outcomes_total", .number,
            "Flows whose connection was lost after COMMIT was sent."),
        Entry(
            "store_lock_waits_total", .number,
            "Flows that gave up after they had waited 2 s for a lock."),
        Entry(
            "store_link_up", .number,
            "1 while this instance holds its store on a server, otherwise 0."),
    ]

    private static let limits: [Entry] = [
        Entry("limits_refused_total", .number, "Attempts that a limit refused, by limit."),
        Entry(
            "limits_shadow_hits_total", .number,
            "Attempts that a limit in shadow mode would have refused, by limit."),
        Entry(
            "limits_pooled_total", .number,
            "New subjects that share a counter because the table of limits is full."),
        Entry("limits_stuffing_alarms_total", .number, "Alarms about credential stuffing."),
        Entry(
            "limiter_fallbacks_total", .number,
            "Checks that the rate limiter did not answer, by flow and what the flow did."),
    ]

    private static let accounts: [Entry] = [
        Entry(
            "identity_orphans", .number,
            "Rows without their other half, and accounts that only other services know, by kind."),
        Entry("identity_orphan_repairs_total", .number, "Orphans that were repaired, by kind."),
        Entry(
            "identity_profile_creation_failures_total", .number,
            "Profiles of accounts that the store refused."),
        Entry(
            "identity_deletions", .number, "Deletions of accounts, waiting or under way, by state."),
        Entry(
            "identity_deletions_overdue", .number,
            "Deletions that began longer ago than deletion-overdue."),
        Entry(
            "identity_deletion_failures_total", .number,
            "Failed tries of a step of a deletion, by step."),
        Entry(
            "provider_dialogs_total", .number,
            "Dialogs of identity providers in apps, by provider and outcome."),
        Entry(
            "provider_token_refusals_total", .number,
            "ID tokens of identity providers that were refused, by provider and reason."),
        Entry(
            "passkey_refusals_total", .number,
            "Responses of passkeys that were refused, by reason."),
        Entry(
            "second_proofs_total", .number, "Second proofs of sign-ins, by kind and outcome."),
        Entry("password_hash_threads", .number, "Threads that hash passwords."),
        Entry("password_hash_queue_length", .number, "Passwords that wait to be hashed."),
        Entry("password_hash_wait_seconds", .seconds, "Time that passwords waited to be hashed."),
        Entry("password_hash_duration_seconds", .seconds, "Time that hashing a password took."),
        Entry(
            "password_hash_refused_total", .number,
            "Passwords not hashed because too many were waiting."),
        Entry(
            "password_hash_dropped_total", .number,
            "Passwords not hashed because their callers had gone."),
        Entry(
            "password_breach_checks_total", .number,
            "New passwords that were looked up among leaked ones, by outcome."),
    ]

    private static let messages: [Entry] = [
        Entry("messages", .number, "Mails, texts and push messages that are not sent, by state."),
        Entry(
            "deliveries_total", .number,
            "Attempts to deliver messages, and expired messages, by outcome."),
        Entry(
            "messages_dropped_total", .number,
            "Messages not accepted because too many wait for the recipient."),
        Entry(
            "webhook_deliveries_total", .number,
            "Attempts to deliver an event to a webhook, by outcome."),
        Entry(
            "provider_breaker_open", .number,
            "1 while the circuit breaker of a mail, text or push provider is open, else 0."),
        Entry(
            "provider_breaker_openings_total", .number,
            "How often the circuit breaker of a provider opened."),
    ]
}
