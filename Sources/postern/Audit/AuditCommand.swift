import ArgumentParser
import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime

/// `postern audit`: the audit trails of the services (A-01).
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Shows the audit trail: sign-ins, changes of accounts, acts of operators.",
        subcommands: [List.self], defaultSubcommand: List.self)

    /// `postern audit list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists entries of the audit trail, the oldest first.",
            discussion: """
                Each service has its own trail. Times are UTC. Entries have no personal data: \
                addresses and devices are in the stores only, as keyed hashes.

                If there are more entries than --limit, it prints how to go on: with --service \
                and --after. Filters read the trail from its start, or from --after.

                  postern audit list --account ada@example.org --from 2026-01-31
                  postern audit list --kind session.started --kind 'account.*' -o json
                """)

        /// Services with a store of their own.
        static let services = Endpoints.services.filter { $0 != "gateway" }

        @Option(help: "Only entries of this account: its id, email, or phone number with its +.")
        var account: String?

        @Option(help: "Only entries of this kind, or with a prefix (session.*); may be repeated.")
        var kind: [String] = []

        @Option(help: "Only entries of this day or later, 2026-01-31, or of this time.")
        var from: Moment?

        @Option(help: "Only entries before this day or time.")
        var before: Moment?

        @Option(help: "Only the trail of this service; may be repeated (default: all).")
        var service: [String] = []

        @Option(help: "Only entries after this position; with one --service.")
        var after: Int64 = 0

        @Option(help: "Maximum number of entries of each service.")
        var limit = 50

        @OptionGroup var endpoints: EndpointsOption
        @OptionGroup var output: OutputOption

        func validate() throws {
            for name in service where !Self.services.contains(name) {
                throw ValidationError(
                    "--service is one of \(Self.services.joined(separator: ", "))")
            }
            guard after == 0 || service.count == 1, after >= 0 else {
                throw ValidationError("--after is a position in the trail of one --service")
            }
            guard (1...1_000_000).contains(limit) else {
                throw ValidationError("--limit is 1 to 1000000")
            }
        }

        func run() async throws {
            let id = try await accountID()
            var writer = output.writer
            for name in service.isEmpty ? Self.services : service {
                let page = try await entries(of: name, account: id)
                try writer.write(page.events.map { $0.row(of: name) })
                if let next = page.next {
                    Screen.error(
                        "more: the same command with --service \(name) alone, and --after \(next)")
                }
            }
            try writer.finish(ifEmpty: "no entries")
        }

        private func accountID() async throws -> String? {
            guard let account else { return nil }
            return try await endpoints.call(
                "identity", hints: AccountsCommand.Options.hints
            ) { try await $0.accountID(of: account, actor: "") }
        }

        /// The selected entries of a service.
        /// - Returns: `limit` entries at most, and the position to go on from if there may be more.
        private func entries(
            of service: String, account: String?
        ) async throws -> (events: [EventsV1.Event], next: Int64?) {
            try await endpoints.call(service) { caller in
                let feed = EventsClient(caller.client)
                var (events, request) = ([EventsV1.Event](), EventsV1.ReadEventsRequest())
                request.after = after
                while true {
                    let page = try await feed.readEvents(request, caller.context)
                    for event in page.events where selects(event, account: account) {
                        guard events.count < limit else {
                            return (events, events.last?.position)
                        }
                        events.append(event)
                    }
                    // An entry of a later time says nothing about the rest: clocks are stepped.
                    if page.isWhole { return (events, nil) }
                    request.after = page.position
                    request.afterAtMs = page.positionAtMs
                }
            }
        }

        /// Whether the options select an entry.
        /// - Parameter account: the id of the account; nil for all.
        func selects(_ event: EventsV1.Event, account: String?) -> Bool {
            let isKind =
                kind.isEmpty
                || kind.contains { kind in
                    kind.hasSuffix("*") ? event.kind.hasPrefix(kind.dropLast()) : event.kind == kind
                }
            return isKind && (account.map { $0 == event.accountId } ?? true)
                && event.atMs >= from?.milliseconds ?? .min
                && event.atMs < before?.milliseconds ?? .max
        }
    }
}

extension EventsV1.Event {
    /// The key that the entry is about. Entries of earlier versions name a signing key by its row.
    private var key: String { keyId.isEmpty ? "\(attempt)" : keyId }

    /// As a line:
    /// `2026-01-31T09:05:00.250Z  session  17  session.started  acc_…  ses_…  done`
    func row(of service: String) -> Row {
        let ending = outcome.isEmpty ? "done" : outcome
        // Entries about keys have the key's `kid` or number in place of a count.
        let isOfKey = kind.hasPrefix("key.")
        let number = attempt == 0 ? "" : isOfKey ? "key \(key)" : "\(attempt)"
        return Row([
            .init("at", .moment(atMs), text: Timestamp(milliseconds: atMs).text),
            .init("service", service),
            .init("position", .integer(position), text: "\(position)"),
            .init("kind", kind), .init("account_id", accountId, heading: "account"),
            .init("session_id", sessionId, heading: "session"), .init("outcome", ending),
            .init(
                isOfKey ? "key" : "attempt", keyId.isEmpty ? .integer(attempt) : .string(keyId),
                text: number,
                phrase: isOfKey || attempt == 0 ? number : "attempt \(attempt)",
                heading: "attempt"),
            .init("app", app, phrase: app.isEmpty ? "" : "app \(app)"),
            .init("actor", actor, phrase: actor.isEmpty ? "" : "by \(actor)"),
        ])
    }
}
