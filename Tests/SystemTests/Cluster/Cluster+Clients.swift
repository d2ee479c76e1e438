import Cryptography
import NIOPosix
import RPC
import ServiceRuntime

extension Cluster {
    /// A client of one of the cluster's services.
    /// - Parameters:
    ///   - service: its name in `endpoints.json`, for example `gateway`.
    ///   - application: the application whose key the client has.
    func client(of service: String, as application: String) throws -> RPCClient {
        guard let address = try addresses()[service].flatMap({ ServiceAddress($0) }) else {
            throw ClusterError(message: "endpoints.json names no \(service)")
        }
        return try Self.client(of: service, at: [address], key: key(of: application))
    }

    /// A client of a service at any addresses, with the key in a file.
    static func client(
        of service: String, at addresses: [ServiceAddress], key file: String
    ) throws -> RPCClient {
        let key = try ApplicationKey(file: file)
        return RPCClient(
            ClientSettings(
                service: "postern.\(service)", addresses: addresses,
                application: key.application, keyID: key.keyID, secret: key.key),
            group: .singleton, time: SystemTime(), randomness: SecureRandomness())
    }
}
