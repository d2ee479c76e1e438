import Contracts
import Cryptography
import Messages
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport

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

extension RPCClient {
    /// Signs a person in at the gateway, from the person's address.
    /// - Returns: the error; nil on success.
    func signIn(
        _ person: Person, _ password: String = Person.password,
        within timeout: Duration = .seconds(5)
    ) async -> ServiceError? {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = person.address
        do {
            _ = try await AuthClient(self).signInWithPassword(
                GatewayV1.SignInWithPasswordRequest(
                    email: person.email, password: .init(text: password),
                    device: person.gatewayDevice),
                context(timeout: timeout, metadata: metadata))
            return nil
        } catch {
            return (error as? ServiceError) ?? ServiceError(.internalError)
        }
    }
}
