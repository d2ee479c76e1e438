import Contracts
import Messages
import RPC
import ServiceRuntime

/// The backend of a customer's app: every public service of the gateway over one connection; or the
/// app itself, which calls the web service by HTTP. Each call has the client address of a person.
final class StoryBackend: Sendable {
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
    let documents: DocumentsClient
    let profile: ProfileClient
    let onboarding: OnboardingClient
    let consents: ConsentsClient
    let deletion: AccountDeletionClient
    let exports: DataExportsClient
    let push: PushRegistrationsClient
    let challenges: SignInChallengesClient
    let factors: SecondFactorsClient
    let passkeys: PasskeysClient
    let backendDocuments: BackendDocumentsClient

    /// A backend of a cluster's gateway.
    /// - Parameter isHTTP: it calls the web service instead, streams apart.
    init(_ cluster: Cluster, byHTTP isHTTP: Bool = false) throws {
        client = try cluster.client(of: "gateway", as: "app")
        let channel: any CallChannel =
            isHTTP ? try HTTPChannel(WebClient(cluster), streams: client) : client
        auth = AuthClient(channel)
        passwords = PasswordsClient(channel)
        emails = EmailsClient(channel)
        providers = ProvidersClient(channel)
        guests = GuestsClient(channel)
        methods = SignInMethodsClient(channel)
        sessions = AccountSessionsClient(channel)
        notices = ProviderNoticesClient(channel)
        phone = PhoneSignInClient(channel)
        documents = DocumentsClient(channel)
        profile = ProfileClient(channel)
        onboarding = OnboardingClient(channel)
        consents = ConsentsClient(channel)
        deletion = AccountDeletionClient(channel)
        exports = DataExportsClient(channel)
        push = PushRegistrationsClient(channel)
        challenges = SignInChallengesClient(channel)
        factors = SecondFactorsClient(channel)
        passkeys = PasskeysClient(channel)
        backendDocuments = BackendDocumentsClient(client)
    }

    func close() { client.close() }

    /// The context of a call for `person`.
    func context(
        _ person: Person, key: String? = nil, timeout: Duration = .seconds(10)
    ) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = person.address
        metadata[Metadata.Key.idempotencyKey] = key
        return client.context(timeout: timeout, metadata: metadata)
    }
}

extension Person {
    /// The device in a request's form.
    var gatewayDevice: GatewayV1.Device {
        GatewayV1.Device(deviceId: device, platform: "ios", name: "\(device)'s name")
    }
}
