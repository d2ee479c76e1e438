import ArgumentParser
import FoundationEssentials
import Messages
import RPC
import ServiceRuntime

/// Writes the request of a read at identity to a file, for the load; and measures reads, and checks of
/// the state of sessions, through the gateway with as few in flight.
struct DocumentReads: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "document-reads")

    @OptionGroup var options: DocumentOptions
    @Option(help: "The file for the request, a ReadDocumentRequest.")
    var payload: String
    @Option(help: "The file for a valid access token.")
    var token: String
    @Option(help: "Concurrent calls through the gateway; the load has as many connections.")
    var workers = 8
    @Option(help: "Seconds of each run.")
    var seconds = 3

    func run() async throws {
        let (gateway, identity) = (try options.app.client(), try options.identityClient())
        defer { [gateway, identity].forEach { $0.close() } }
        let reader = try await DocumentWriters(1, gateway)
        try await reader.writeNext(at: identity)
        let request = GatewayV1.ReadDocumentRequest(
            collection: DocumentOptions.collection, name: DocumentOptions.name)
        try Data(request.encoded()).write(to: URL(filePath: payload))
        try Data(reader.tokens[0].utf8).write(to: URL(filePath: token))
        let rate = try await Throughput(workers: workers, duration: .seconds(seconds)).measure {
            _ in try await reader.readNext(through: gateway)
        }
        Figure(name: "document-reads-gateway", value: rate, unit: "reads/s").report()
        let states = try await Throughput(workers: workers, duration: .seconds(seconds)).measure {
            _ in try await reader.checkNext(through: gateway)
        }
        Figure(name: "check-auth-state-gateway", value: states, unit: "calls/s").report()
    }
}
