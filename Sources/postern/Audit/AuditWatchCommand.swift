import ArgumentParser
import Contracts
import Glibc
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension AuditCommand {
    /// `postern audit watch`.
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the entries of all audit trails as they come, for a SIEM.",
            discussion: """
                In the order of time, some two seconds after they were written; with -o json one \
                object a line, with the fields of `audit list`. A service that is away delays the \
                others for ten seconds; its own entries follow when it is back.

                --state names a file with the positions up to which all was printed. It is written \
                after the lines, so after a crash some lines come again and none is missing. \
                Without it, and without --since, the first entry is the next one.

                  postern audit watch --kind 'limit.*' --kind account.locked
                  postern audit watch -o json --to /siem/audit.jsonl --state /siem/audit.state
                """)

        /// Patterns that a service compares with each record.
        private static let kindsMax = AuditKinds.patternsMax
        /// The time between two looks at the trails.
        private static let interval: Duration = .milliseconds(500)

        @Option(help: "Only entries of this account: its id, email, or phone number with its +.")
        var account: String?

        @Option(help: "Only entries of this kind, or with a prefix (session.*); may be repeated.")
        var kind: [String] = []

        @Option(help: "Begin with this day or time, 2026-01-31, where there is no state.")
        var since: Moment?

        @Option(help: "Only the trail of this service; may be repeated (default: all).")
        var service: [String] = []

        @Option(help: "A file with the positions, to go on from after a restart.")
        var state: String?

        @Option(help: "A file to which lines are added, in place of the output.")
        var to: String?

        @OptionGroup var endpoints: EndpointsOption
        @OptionGroup var output: OutputOption

        func validate() throws {
            try List.requireServices(service)
            for kind in kind { try List.requireKnown(kind) }
            guard kind.count <= Self.kindsMax else {
                throw ValidationError("at most \(Self.kindsMax) --kind; a prefix stands for many")
            }
        }

        func run() async throws {
            let account = try await endpoints.accountID(of: account)
            let callers = try callers()
            let file = state.map { WatchState(path: $0) }
            let watch = AuditWatch(
                services: callers.map(\.service), kinds: kind, since: since?.milliseconds,
                positions: try file?.read() ?? [:]
            ) { service, request in
                guard let caller = callers.first(where: { $0.service == service })?.caller else {
                    throw ServiceError(.unavailable)
                }
                return try await EventsClient(caller.client).readEvents(request, caller.context)
            }
            let lines = try WatchedLines(isJSON: output.isJSON, path: to)
            do {
                try await Interruption.cancels(on: [SIGINT, SIGTERM]) {
                    var watch = watch
                    while true {
                        let isMore = try await watch.look(at: SystemTime().now(), Screen.error)
                        let entries = watch.takeSettled(at: SystemTime().now())
                        try lines.write(
                            entries.filter { account == nil || $0.event.accountId == account })
                        if watch.hasMoved { try file?.write(watch.positions) }
                        // While one service is away, what the others have would be read in vain.
                        if isMore, watch.hasMoved { continue }
                        try await SystemTime().sleep(for: Self.interval)
                    }
                }
            } catch is CancellationError {
                // The end of a service.
            } catch let failure as ServiceFailure {
                CallFailure(error: failure.error, service: failure.service, address: "").lines
                    .forEach(Screen.error)
                throw ExitCode(1)
            }
        }

        private func callers() throws -> [(service: String, caller: Caller)] {
            let endpoints = try Endpoints(endpoints.endpoints)
            return try (service.isEmpty ? List.services : service).map {
                ($0, try Caller(endpoints, service: $0))
            }
        }
    }
}
