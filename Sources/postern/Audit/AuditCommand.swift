import ArgumentParser
import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern audit`: the audit trails of the services (A-01).
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Shows the audit trail: sign-ins, changes of accounts, acts of operators.",
        subcommands: [List.self, Watch.self, Verify.self, Keys.self],
        defaultSubcommand: List.self)

    /// `postern audit list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the newest entries of the audit trail, in the order of time.",
            discussion: """
                The trails of all services, merged; the newest entry is the last line. Times are \
                UTC. Entries have no personal data: addresses and devices are in the stores only, \
                as keyed hashes.

                If there are more entries than --limit, it prints how to see the older ones: with \
                --before. Filters may read a trail up to its start.

                --oldest lists each trail from its start, one service after the other, and prints \
                how to go on: with --service and --after.

                  postern audit list --account ada@example.org --from 2026-01-31
                  postern audit list --kind session.started --kind 'account.*' -o json
                  postern audit list --service identity --oldest --limit 500
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

        @Flag(help: "Each trail from its start, in place of the newest entries of all.")
        var oldest = false

        @Option(help: "As --oldest, and only entries after this position; with one --service.")
        var after: Int64?

        @Option(help: "Maximum number of entries; with --oldest of each service.")
        var limit = 50

        @OptionGroup var endpoints: EndpointsOption
        @OptionGroup var output: OutputOption

        func validate() throws {
            try Self.requireServices(service)
            if let after, service.count != 1 || after < 0 {
                throw ValidationError("--after is a position in the trail of one --service")
            }
            for kind in kind { try Self.requireKnown(kind) }
            guard (1...1_000_000).contains(limit) else {
                throw ValidationError("--limit is 1 to 1000000")
            }
        }

        func run() async throws {
            let id = try await endpoints.accountID(of: account)
            var writer = output.writer
            if oldest || after != nil {
                try await writeOldest(of: id, &writer)
            } else {
                try await writeNewest(of: id, &writer)
            }
            try writer.finish(ifEmpty: "no entries")
        }

        /// Refuses a name that is no service's with a store.
        /// - Throws: `ValidationError`.
        static func requireServices(_ names: [String]) throws {
            for name in names where !services.contains(name) {
                throw ValidationError("--service is one of \(services.joined(separator: ", "))")
            }
        }

        private var selectedServices: [String] { service.isEmpty ? Self.services : service }

        private func writeNewest(of account: String?, _ writer: inout RowWriter) async throws {
            var (trails, hasMore) = ([(service: String, events: [EventsV1.Event])](), false)
            for name in selectedServices {
                let newest = try await newestEntries(of: name, account: account)
                trails.append((name, newest.events))
                hasMore = hasMore || newest.hasMore
            }
            let entries = AuditTail.merged(trails, limit: limit)
            try writer.write(entries.map { $0.event.row(of: $0.service) })
            hasMore = hasMore || trails.reduce(0) { $0 + $1.events.count } > limit
            if hasMore, let first = entries.first {
                let before = AuditTail.before(first.event)
                Screen.error("more: the same command with --before \(before), or a greater --limit")
            }
        }

        private func newestEntries(
            of service: String, account: String?
        ) async throws -> AuditTail.Newest {
            try await endpoints.call(service) { caller in
                let feed = EventsClient(caller.client)
                let tail = AuditTail { try await feed.readEvents($0, caller.context) }
                return try await tail.newest(limit) { selects($0, account: account) }
            }
        }

        private func writeOldest(of account: String?, _ writer: inout RowWriter) async throws {
            for name in selectedServices {
                let page = try await entries(of: name, account: account)
                try writer.write(page.events.map { $0.row(of: name) })
                if let next = page.next {
                    Screen.error(
                        "more: the same command with --service \(name) alone, and --after \(next)")
                }
            }
        }

        /// The selected entries of a service, from the start of its trail or from `after`.
        /// - Returns: `limit` entries at most, and the position to go on from if there may be more.
        private func entries(
            of service: String, account: String?
        ) async throws -> (events: [EventsV1.Event], next: Int64?) {
            try await endpoints.call(service) { caller in
                let feed = EventsClient(caller.client)
                var (events, request) = ([EventsV1.Event](), EventsV1.ReadEventsRequest())
                request.after = after ?? 0
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
                kind.isEmpty || kind.contains { AuditKind.matches($0, event.kind) }
            return isKind && (account.map { $0 == event.accountId } ?? true)
                && event.atMs >= from?.milliseconds ?? .min
                && event.atMs < before?.milliseconds ?? .max
        }
    }
}

extension EndpointsOption {
    /// The id of the account that an option names; nil without it.
    func accountID(of account: String?) async throws -> String? {
        guard let account else { return nil }
        return try await call(
            "identity", hints: AccountsCommand.Options.hints,
            notFound: AccountsCommand.notFound(account)
        ) { try await $0.accountID(of: account, actor: "") }
    }
}

/// What `--kind` may name: a kind, `session.started`, or a prefix of kinds, `session.*`.
extension AuditCommand.List {
    /// Refuses a text that names no kind: nothing would be found, which reads as if nothing had
    /// happened.
    /// - Throws: `ValidationError` with the kinds that are probably meant.
    static func requireKnown(_ text: String) throws {
        let kinds = AuditKind.allCases.map(\.rawValue)
        guard !kinds.contains(where: { AuditKind.matches(text, $0) }) else { return }
        throw ValidationError(
            "--kind \(text): there is no such kind; \(suggestion(for: text, among: kinds))")
    }

    private static func suggestion(for text: String, among kinds: [String]) -> String {
        let groups = Set(kinds.map { String($0.prefix { $0 != "." }) }).sorted().map { "\($0).*" }
        let typed = Array(text.lowercased().utf8)
        let similar = (kinds + groups).map { name in
            (distance: EditDistance.between(typed, name.utf8), name: name)
        }.filter { $0.distance <= max(2, typed.count / 3) }
        return EditDistance.suggestion(similar) ?? "the kinds are \(groups.joined(separator: ", "))"
    }
}

extension EventsV1.Event {
    /// The key that the entry is about. Entries of earlier versions name a signing key by its row.
    private var key: String { keyId.isEmpty ? "\(attempt)" : keyId }

    /// The detail as people read it. That of a head or a cut is a signature, for programs.
    private var shownDetail: String {
        detail.utf8.count > Self.shownBytesMax ? "signed" : detail
    }

    /// Longer than any words.
    private static let shownBytesMax = 128

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
            .init("detail", .string(detail), text: shownDetail),
            .init("country", country), .init("agent", agent),
            .init("app", app, phrase: app.isEmpty ? "" : "app \(app)"),
            .init("actor", actor, phrase: actor.isEmpty ? "" : "by \(actor)"),
        ])
    }
}
