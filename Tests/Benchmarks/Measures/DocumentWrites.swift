import ArgumentParser
import RPC
import ServiceRuntime

/// Durable writes of documents of 1 KiB a second, many at once, each in one call: at identity, which
/// asks the session service about each token, and through the gateway, which charges limits too.
struct DocumentWrites: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "document-writes")

    @OptionGroup var options: DocumentOptions
    @Option(help: "Concurrent writes.")
    var workers = 256
    @Option(help: "Guests who write; each may write 60 times a minute through the gateway.")
    var guests = 4_000
    @Option(help: "Seconds of each run.")
    var seconds = 3

    func run() async throws {
        let (gateway, identity) = (try options.app.client(), try options.identityClient())
        defer { [gateway, identity].forEach { $0.close() } }
        let writers = try await DocumentWriters(guests, gateway)
        let throughput = Throughput(workers: workers, duration: .seconds(seconds))
        let direct = try await throughput.measure { _ in try await writers.writeNext(at: identity) }
        Figure(name: "document-writes", value: direct, unit: "writes/s").report()
        let whole = try await throughput.measure { _ in
            try await writers.writeNext(through: gateway)
        }
        Figure(name: "document-writes-gateway", value: whole, unit: "writes/s").report()
    }
}
