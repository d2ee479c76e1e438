import Contracts
import Cryptography
import Messages
import NIOPosix
package import RPC
import ServiceRuntime
import TestSupport

/// The callers of running programs: clients of the gateway with the keys of the applications.
package final class LiveCallers: Sendable {
    let stage: CallStage
    /// The audience of the writer's tokens: an origin of the web service.
    let audience: String
    /// Distinguishes the callers of one run from another's.
    let tag: String
    let writer: (key: Ed25519SigningKey, keyID: String)
    private let clients: [String: RPCClient]

    /// - Parameters:
    ///   - gateway: the gateway's address, HOST:PORT.
    ///   - keys: the folder with the applications' keys.
    ///   - audience: the web service's URL.
    /// - Throws: `CallFailure`, and as `ApplicationKey`.
    package init(
        _ stage: CallStage, gateway: String, keys: String, audience: String
    ) throws {
        self.stage = stage
        self.audience = audience
        tag = Hex.encode(SecureRandomness().bytes(4))
        guard let address = ServiceAddress(gateway) else { throw CallFailure("no address") }
        var clients: [String: RPCClient] = [:]
        for name in ["app", "shop", "support"] {
            let own = try ApplicationKey.first(of: name, in: keys)
            clients[name] = RPCClient(
                ClientSettings(
                    service: "postern.gateway", host: address.host, port: address.port,
                    application: own.application, keyID: own.keyID, secret: own.key),
                group: .singleton, time: SystemTime(), randomness: SecureRandomness())
        }
        let own = try ApplicationKey.first(of: "shop", in: keys)
        guard let key = own.key as? Ed25519SigningKey else { throw CallFailure("no key of shop") }
        writer = (key, own.keyID)
        self.clients = clients
    }

    /// Closes the connections.
    package func close() { clients.values.forEach { $0.close() } }

    /// A new caller.
    /// - Parameters:
    ///   - number: another for each, below 60,000.
    ///   - address: the client address of its calls. What is prepared has one of its own.
    package func caller(_ number: Int, address: String? = nil) throws -> LiveCaller {
        try LiveCaller(number, address: address ?? Self.address(18, number), of: self)
    }

    /// An address of the range for benchmarks (RFC 2544): 198.18 or 198.19.
    static func address(_ part: Int, _ number: Int) -> String {
        "198.\(part).\(number / 250).\(number % 250 + 1)"
    }

    /// Waits until the programs have read the keys of the writer and the support desk.
    package func untilKnown() async throws {
        let caller = try caller(0)
        var last: (any Error)?
        for call in PublicCalls.all where call.caller == .writer || call.caller == .support {
            guard ["SetOnboarding", "ListOrphans"].contains(where: call.name.hasSuffix) else {
                continue
            }
            let isKnown = try await eventually(within: .seconds(60)) {
                do {
                    let messages = try await call.messages(caller, 0).map { $0.encoded() }
                    _ = try await call.send(messages, by: caller, 0)
                    return true
                } catch let error as ServiceError {
                    last = error
                    return false
                }
            }
            guard isKnown else { throw last ?? CallFailure("\(call.name) is not permitted") }
        }
    }

    /// The client of an application.
    package func client(_ application: String) -> RPCClient {
        guard let client = clients[application] else { preconditionFailure("no \(application)") }
        return client
    }

    /// Makes a call of any kind, also to a gateway of this process. A stream of the server that has
    /// no end is left where it is up to date: after its first item, of documents after the first
    /// that has no change, of revocations after the first that is complete.
    /// - Returns: the response, or the items of the server.
    /// - Throws: `ServiceError`.
    package static func send(
        _ method: MethodDescription, _ messages: [[UInt8]], by client: some PackedChannel,
        _ context: CallContext
    ) async throws -> [[UInt8]] {
        guard method.streams != .none else {
            let request: OutgoingRequest.Payload =
                method.hasSecrets
                ? .secret(SecretBytes(copying: messages[0])) : .plain(messages[0])
            return [try await client.call(method, packed: request, context)]
        }
        let isUpload = method.streams.hasRequestItems
        let call = client.stream(method, payload: isUpload ? [] : messages[0], context)
        async let sent: Void = {
            guard isUpload else { return }
            for message in messages { try await call.outgoing.write(message) }
            call.outgoing.finish()
        }()
        var items: [[UInt8]] = []
        for try await item in call.incoming {
            items.append(item)
            if method.isWatch, try isUpToDate(method, item) { break }
        }
        try await sent
        return items
    }

    /// Whether an item of a stream that has no end says that the client is up to date.
    package static func isUpToDate(_ method: MethodDescription, _ item: [UInt8]) throws -> Bool {
        switch method {
        case DocumentsDescription.watchDocuments:
            try GatewayV1.WatchDocumentsItem(decoding: item).change == nil
        case VerificationDescription.watchRevocations:
            try GatewayV1.WatchRevocationsItem(decoding: item).complete != nil
        default: true
        }
    }
}

extension PublicCall {
    /// Makes the call of a caller with messages that were made before.
    /// - Returns: the response, or the items of the server.
    /// - Throws: `ServiceError`.
    package func send(
        _ messages: [[UInt8]], by caller: LiveCaller, _ number: Int,
        timeout: Duration = .seconds(30)
    ) async throws -> [[UInt8]] {
        try await LiveCallers.send(
            method, messages, by: caller.callers.client(self.caller.application),
            try await caller.context(self, number, timeout: timeout))
    }
}
