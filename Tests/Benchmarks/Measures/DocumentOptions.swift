import ArgumentParser
import Contracts
import Cryptography
import Messages
import RPC
import Synchronization

/// The programs that a measure of documents calls: the gateway as an app does, and identity as the
/// gateway does, so that its part can be told from the gateway's and from its limits.
struct DocumentOptions: ParsableArguments {
    /// A document's name in every measure.
    static let collection = "settings"
    static let name = "main"

    @OptionGroup var app: GatewayOptions
    @Option(help: "Identity's address, HOST:PORT.")
    var identity: String
    @Option(help: "The gateway's own key, <application>.<key id>.key.")
    var identityKey: String

    /// A client of identity on its own event loop.
    func identityClient() throws -> RPCClient {
        try .calling("postern.identity", at: identity, key: identityKey)
    }

    /// A document's JSON of this many bytes.
    static func json(bytes: Int) -> String {
        #"{"text":""# + String(repeating: "d", count: bytes - 11) + #""}"#
    }
}

/// Guests who write and read documents, in rotation, each with their own client address.
final class DocumentWriters: Sendable {
    private static let json = DocumentOptions.json(bytes: 1_024)

    /// Their access tokens.
    let tokens: [String]
    private let turn = Atomic(0)

    init(tokens: [String]) {
        self.tokens = tokens
    }

    /// Signs in so many new guests.
    init(_ count: Int, _ client: RPCClient) async throws {
        tokens = try await withThrowingTaskGroup(of: String.self) { group in
            var tokens: [String] = []
            for number in 0..<count {
                if number >= 32, let token = try await group.next() { tokens.append(token) }
                group.addTask {
                    try await GuestsClient(client).signInAsGuest(
                        .init(device: .init(deviceId: "d1", platform: "cli")),
                        client.context(ofPerson: number)
                    ).session?.accessToken ?? ""
                }
            }
            return try await group.reduce(into: tokens) { $0.append($1) }
        }
    }

    /// The next guest writes a document of 1 KiB at identity.
    func writeNext(at identity: RPCClient) async throws {
        let (_, token) = next()
        let write = GatewayV1.DocumentWrite(
            collection: DocumentOptions.collection, name: DocumentOptions.name, json: Self.json)
        _ = try await DocumentsClient(identity).writeDocuments(
            .init(writes: [write]), identity.context(timeout: .seconds(30)).bearing(token))
    }

    /// The same through the gateway.
    func writeNext(through gateway: RPCClient) async throws {
        let (number, token) = next()
        let write = GatewayV1.DocumentWrite(
            collection: DocumentOptions.collection, name: DocumentOptions.name, json: Self.json)
        _ = try await DocumentsClient(gateway).writeDocument(
            .init(write: write), gateway.context(ofPerson: number).bearing(token))
    }

    /// The next guest reads the document through the gateway.
    func readNext(through gateway: RPCClient) async throws {
        let (number, token) = next()
        _ = try await DocumentsClient(gateway).readDocument(
            .init(collection: DocumentOptions.collection, name: DocumentOptions.name),
            gateway.context(ofPerson: number).bearing(token))
    }

    /// The next guest asks the gateway whether the session is live.
    func checkNext(through gateway: RPCClient) async throws {
        let (number, token) = next()
        _ = try await AuthClient(gateway).checkAuthState(
            .init(), gateway.context(ofPerson: number).bearing(token))
    }

    private func next() -> (number: Int, token: String) {
        let number = turn.add(1, ordering: .relaxed).oldValue % tokens.count
        return (number, tokens[number])
    }
}
