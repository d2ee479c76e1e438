import ArgumentParser
import Contracts
import Messages
import RPC

/// The time of an export of 10,000 documents, from its order to the archive that can be fetched, and
/// the time to fetch it.
struct ExportFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "export")

    /// Documents of one call.
    private static let batch = 50

    @OptionGroup var options: DocumentOptions
    @Option(help: "Documents of the account; identity's document-count-max must allow them.")
    var documents = 10_000
    @Option(help: "Bytes of a document.")
    var bytes = 512
    @Option(help: "Exports; the median counts.")
    var runs = 3

    func run() async throws {
        let (gateway, identity) = (try options.app.client(), try options.identityClient())
        defer { [gateway, identity].forEach { $0.close() } }
        let person = Person(number: 0, tag: Person.newTag(), client: gateway)
        let token = try await person.signUp()?.accessToken ?? ""
        for start in stride(from: 0, to: documents, by: Self.batch) {
            try await write(start..<min(start + Self.batch, documents), token, identity)
        }
        let exports = DataExportsClient(identity)
        var (prepared, fetched): ([Double], [Double]) = ([], [])
        for _ in 0..<runs {
            // The proof of the order is not older than five minutes.
            let token = try await person.signIn()?.accessToken ?? ""
            let begun = ContinuousClock.now
            let export = try await prepare(token, exports, identity)
            let ready = ContinuousClock.now
            try await fetch(export, token, exports, identity)
            prepared.append((ready - begun) / .milliseconds(1))
            fetched.append((ContinuousClock.now - ready) / .milliseconds(1))
            _ = try await exports.cancelDataExport(
                .init(), identity.context(timeout: .seconds(10)).bearing(token))
        }
        Figure(name: "export-prepared", value: Double.median(prepared), unit: "ms").report()
        Figure(name: "export-fetched", value: Double.median(fetched), unit: "ms").report()
    }

    private func write(
        _ numbers: Range<Int>, _ token: String, _ identity: RPCClient
    ) async throws {
        let json = DocumentOptions.json(bytes: bytes)
        let writes = numbers.map {
            GatewayV1.DocumentWrite(
                collection: DocumentOptions.collection, name: "d\($0)", json: json)
        }
        _ = try await DocumentsClient(identity).writeDocuments(
            .init(writes: writes), identity.context(timeout: .seconds(30)).bearing(token))
    }

    private func prepare(
        _ token: String, _ exports: DataExportsClient, _ identity: RPCClient
    ) async throws -> GatewayV1.DataExport {
        _ = try await AccountExportsClient(identity).requestDataExport(
            .init(), identity.context(timeout: .seconds(10)).bearing(token))
        let states = exports.watchDataExport(
            .init(), identity.context(timeout: .seconds(60)).bearing(token))
        for try await item in states {
            if let export = item.dataExport, export.state == .ready { return export }
        }
        throw ValidationError("the export was not prepared")
    }

    private func fetch(
        _ export: GatewayV1.DataExport, _ token: String, _ exports: DataExportsClient,
        _ identity: RPCClient
    ) async throws {
        var bytes: Int64 = 0
        let items = exports.fetchDataExport(
            .init(exportId: export.exportId),
            identity.context(timeout: .seconds(60)).bearing(token))
        for try await item in items { bytes += Int64(item.data.count) }
        guard bytes == export.bytes else { throw ValidationError("the archive is cut off") }
    }
}
