import Contracts
import Cryptography
import Glibc
import Logging
import Metrics
import NIOPosix
import RPC
import ServiceLifecycle
package import ServiceRuntime

extension Program {
    /// The entry point of the executable.
    package static func main() async {
        exit(
            await run(
                arguments: Array(CommandLine.arguments.dropFirst()),
                environment: environment, time: SystemTime()))
    }

    /// Runs the program: settings, logs, store and keys, then the server. Returns when it has
    /// stopped.
    /// - Returns: The exit code.
    package static func run(
        arguments: [String], environment: [String: String], time: any Time
    ) async -> Int32 {
        CoreDumps.disable()
        let loader = SettingsLoader(
            program: description.program, summary: description.summary, arguments: arguments,
            environment: environment)
        switch loader.load(ProgramSettings<Self>.self) {
        case .exit(let text, let exitCode):
            write(text, to: exitCode == 0 ? STDOUT_FILENO : STDERR_FILENO)
            return exitCode
        case .run(let settings):
            return await run(settings, time)
        }
    }

    private static func run(_ settings: ProgramSettings<Self>, _ time: any Time) async -> Int32 {
        let level = Logger.Level(rawValue: settings.host.logLevel.rawValue) ?? .info
        let description = description
        let origin = JSONLogHandler.Origin(
            service: description.service, version: ProductVersion.text,
            instance: ProcessInstance.text)
        LoggingSystem.bootstrap { _ in
            JSONLogHandler(origin, level: level, time: time, sink: StandardErrorSink())
        }
        let metrics = MetricsRegistry()
        MetricsSystem.bootstrap(metrics)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: settings.host.loops)
        let logger = Logger(label: description.service)
        let host = ServiceHost(
            settings: settings.host, time: time, randomness: SecureRandomness(), logger: logger,
            metrics: metrics, group: group, description: description,
            observation: HostObservation(
                settings.host.observation, of: description, metrics: metrics, group: group,
                time: time, randomness: SecureRandomness(), logger: logger))
        do {
            return try await RunningProgram.run(
                host, assembly: assemble(host, settings.own))
        } catch {
            host.logger.error(
                "process.start.failed", "starting failed", fields: [.detail: .error(error)])
            return 1
        }
    }

    /// The environment variables of the process, by name.
    private static var environment: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }

    /// Writes a text for the operator, such as the program's help.
    private static func write(_ text: String, to descriptor: Int32) {
        // If the reader is gone, the rest is dropped.
        _ = Array(text.utf8).withUnsafeBytes { Files.write($0, to: descriptor) }
    }
}
