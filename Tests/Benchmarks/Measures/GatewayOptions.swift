import ArgumentParser
import Cryptography
import NIOPosix
import RPC
import ServiceRuntime

/// Which gateway a measure calls, and as whom.
struct GatewayOptions: ParsableArguments {
    @Option(help: "Where the gateway listens, HOST:PORT.")
    var gateway: String
    @Option(help: "The application's key, <application>.<key id>.key.")
    var key: String

    /// A client on an event loop of its own.
    func client() throws -> RPCClient {
        guard let address = ServiceAddress(gateway) else { throw ValidationError("no address") }
        let own = try ApplicationKey(file: key)
        return RPCClient(
            ClientSettings(
                service: "postern.gateway", host: address.host, port: address.port,
                application: own.application, keyID: own.keyID, secret: own.key),
            group: MultiThreadedEventLoopGroup(numberOfThreads: 1), time: SystemTime(),
            randomness: SecureRandomness())
    }
}

extension RPCClient {
    /// For a call by one of many people, each at an address of their own, so that no limit is shared.
    /// - Parameter person: From 0, 60,000 at the most.
    func context(ofPerson person: Int) -> CallContext {
        var metadata = Metadata()
        // Benchmarking addresses, RFC 2544.
        metadata[Metadata.Key.clientAddress] = "198.18.\(person / 250).\(person % 250 + 1)"
        return context(timeout: .seconds(30), metadata: metadata)
    }
}
