import ArgumentParser
import JSON
import Messages
import ServiceRuntime

/// `postern status`: the health of all programs.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: """
            Shows whether each program accepts calls, the parts that fail, and why a program of \
            `postern up` does not start; exits with 1 if one does not accept calls, or a part fails.
            """)

    @OptionGroup var services: EndpointsOption
    @OptionGroup var output: OutputOption

    func run() async throws {
        let endpoints = try Endpoints(services.endpoints)
        let states = await Endpoints.ofEach(of: endpoints.programs) {
            await Self.state(of: $0, endpoints)
        }
        var (isWell, rows) = (true, [Row]())
        let logs = "\(Files.folder(of: services.endpoints))/logs"
        for service in endpoints.programs {
            let state = Self.state(
                states[service] ?? Self.silent,
                log: ChildLog(whole: "\(logs)/postern-\(service).log"))
            isWell = isWell && Self.isWell(state)
            rows.append(
                Row([
                    .init("service", service, phrase: service.padded(to: 14)),
                    .init("health", state),
                    .init(json: "serving", .boolean(state.hasPrefix("serving"))),
                    .init(
                        json: "address",
                        endpoints.address(of: service).map { .string("\($0)") } ?? .null),
                ]))
        }
        try output.show(rows)
        if !isWell { throw ExitCode(1) }
    }

    /// Whether the program accepts calls and no part of it fails. A warning about settings may
    /// follow: `serving; warning: …`.
    static func isWell(_ state: String) -> Bool {
        state == "serving" || state.hasPrefix("serving; ")
    }

    /// `serving`, `serving, degraded: store (disk full, since 2025-01-02T03:04:05.678Z)`, or
    /// `not serving`.
    static func line(_ health: HealthV1.CheckResponse) -> String {
        guard health.status == .serving else { return "not serving" }
        let degraded = health.parts.filter { $0.status == .degraded }.map { part in
            guard case .failingSinceAtMs(let since) = part.failingSince else {
                return "\(part.name) (\(part.detail))"
            }
            return "\(part.name) (\(part.detail), since \(Timestamp(milliseconds: since).text))"
        }
        return degraded.isEmpty
            ? "serving" : "serving, degraded: " + degraded.joined(separator: ", ")
    }

    /// What a program is that does not answer.
    private static let silent = "no answer"

    /// `no answer (no address of postern.gateway can be reached (127.0.0.1:7400: refused))`
    static func noAnswer(_ error: ServiceError) -> String {
        "\(silent) (\(error.detail.isEmpty ? error.code.rawValue : error.detail))"
    }

    /// A state, and of a program that does not answer what its last start has met with.
    /// - Parameter log: the program's log, where `postern up` writes it.
    static func state(_ state: String, log: ChildLog) -> String {
        guard state.hasPrefix(silent), let obstacle = log.obstacle else { return state }
        return "\(state); its log: \(obstacle)"
    }

    private static func state(of service: String, _ endpoints: Endpoints) async -> String? {
        guard Endpoints.services.contains(service) else {
            // It has no rpcs: its metrics port reports the same health.
            return endpoints.metrics(of: service).flatMap(MetricsText.readiness)
        }
        do {
            // A running program accepts in a millisecond.
            let caller = try Caller(
                endpoints, service: service, connectTimeout: .milliseconds(700))
            return line(try await caller.health())
        } catch let error as ServiceError {
            return noAnswer(error)
        } catch {
            return "\(silent) (\(error))"
        }
    }
}
