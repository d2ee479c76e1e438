import ArgumentParser
import Cryptography
import NIOPosix
import RPC
import ServiceRuntime

/// The gateway that a measure calls, and the application that calls it.
struct GatewayOptions: ParsableArguments {
    @Option(help: "The gateway's address, HOST:PORT.")
    var gateway: String
    @Option(help: "The application's key, <application>.<key id>.key.")
    var key: String

    /// A client on its own event loop.
    func client() throws -> RPCClient { try .calling("postern.gateway", at: gateway, key: key) }
}

extension RPCClient {
    /// A client of a service on its own event loop, with the key of a file.
    static func calling(_ service: String, at address: String, key: String) throws -> RPCClient {
        guard let address = ServiceAddress(address) else { throw ValidationError("no address") }
        let own = try ApplicationKey(file: key)
        return RPCClient(
            ClientSettings(
                service: service, host: address.host, port: address.port,
                application: own.application, keyID: own.keyID, secret: own.key),
            group: MultiThreadedEventLoopGroup(numberOfThreads: 1), time: SystemTime(),
            randomness: SecureRandomness())
    }

    /// The context of a call for one of many people, each with another client address, so that no
    /// limit is shared.
    /// - Parameter person: from 0 to 60,000.
    func context(ofPerson person: Int) -> CallContext {
        var metadata = Metadata()
        // Addresses for benchmarks, RFC 2544.
        metadata[Metadata.Key.clientAddress] = "198.18.\(person / 250).\(person % 250 + 1)"
        return context(timeout: .seconds(30), metadata: metadata)
    }
}
