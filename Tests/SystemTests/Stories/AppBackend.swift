import Contracts
import Cryptography
import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// The backend of a customer's app: every public service of the gateway over one connection. Each
/// call asserts the client address of a person.
final class AppBackend: Sendable {
    private let client: RPCClient
    let auth: AuthClient
    let passwords: PasswordsClient
    let emails: EmailsClient
    let providers: ProvidersClient
    let guests: GuestsClient
    let methods: SignInMethodsClient
    let sessions: AccountSessionsClient
    let notices: ProviderNoticesClient
    let phone: PhoneSignInClient

    /// A backend of a cluster's gateway.
    init(_ cluster: Cluster) throws {
        guard let address = try cluster.addresses()["gateway"].flatMap({ ServiceAddress($0) })
        else { throw ClusterError(said: "endpoints.json names no gateway") }
        let key = try ApplicationKey(file: "\(cluster.data)/keys/applications/app.k1.key")
        client = RPCClient(
            ClientSettings(
                service: "postern.gateway", addresses: [address], application: key.application,
                keyID: key.keyID, secret: key.key),
            group: .singleton, time: SystemTime(), randomness: SecureRandomness())
        auth = AuthClient(client)
        passwords = PasswordsClient(client)
        emails = EmailsClient(client)
        providers = ProvidersClient(client)
        guests = GuestsClient(client)
        methods = SignInMethodsClient(client)
        sessions = AccountSessionsClient(client)
        notices = ProviderNoticesClient(client)
        phone = PhoneSignInClient(client)
    }

    func close() { client.close() }

    /// The context of a call for `person`.
    func context(_ person: Person, key: String? = nil) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = person.address
        metadata[Metadata.Key.idempotencyKey] = key
        return client.context(timeout: .seconds(10), metadata: metadata)
    }
}

extension Person {
    /// The device in a request's form.
    var gatewayDevice: GatewayV1.Device {
        GatewayV1.Device(deviceId: device, platform: "ios", name: "\(device)'s name")
    }
}
