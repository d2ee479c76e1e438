import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

extension GatewayV1.ProviderToken {
    /// As `WrittenTokens.token`.
    static func token(
        _ subject: String, email: String = "", isVerified: Bool = true,
        by provider: String = "google",
        isRelay: Bool = false, nonce: String = "", name: String = ""
    ) -> Self {
        WrittenTokens.token(
            provider, subject, email: email, isVerified: isVerified, isRelay: isRelay,
            nonce: nonce, name: name)
    }
}

extension IdentitiesHandler {
    /// As in the service, but it accepts other tokens.
    init(of service: IdentityAssembly, tokens: any ProviderTokens) {
        let own = service.core.identities
        self.init(
            settings: own.settings, store: own.store, writer: own.writer, owners: own.owners,
            calls: own.calls, tokens: tokens, passkeys: own.passkeys, signIn: own.signIn,
            adding: own.adding)
    }
}

extension IdentityFixture {
    /// The sign-in by a proved identity.
    func federatedSignIn(grantsAt endpoints: GrantEndpoints = .none) -> FederatedSignIn {
        FederatedSignIn(
            settings: settings, store: store, writer: writer, answers: answers,
            grantEndpoints: endpoints)
    }

    /// What flows write accounts with.
    var writer: AccountWriter { service.core.writer }

    /// The messages that flows write.
    var outbox: IdentityOutbox { writer.outbox }

    /// Administers this fixture's accounts.
    func admin(_ activity: any AccountActivityAPI) -> AccountAdminHandler {
        AccountAdminHandler(
            settings: lifeSettings, store: store, writer: writer, time: time, answers: answers,
            logger: log.logger(time: time), deletions: service.life.deletions.deletions,
            guests: UnusedGuestSearch(
                store: store, activity: activity, kept: lifeSettings.guestKept),
            history: service.core.history, orphans: service.life.accountAdmin.orphans)
    }

    /// Signs in with an identity that is proved already.
    func signIn(
        _ proved: ProvedIdentity, on device: GatewayV1.Device? = nil,
        grantsAt endpoints: GrantEndpoints = .none
    ) async throws -> IdentityV1.AdmissionResponse {
        try await federatedSignIn(grantsAt: endpoints).run(
            proved,
            FederatedSignInCall(
                from: CallOrigin(context(), on: device, keys), on: device,
                language: settings.defaultLanguage, acceptance: Acceptance(nil),
                challenged: ChallengedCall(context(), deviceID: device?.deviceId ?? "", keys),
                repeatable: nil))
    }

    /// Signs in with a provider.
    func signIn(
        by token: GatewayV1.ProviderToken, guest: String? = nil, key: String? = nil
    ) async throws -> IdentityV1.AdmissionResponse {
        try await identities.signInWithProvider(
            .init(token: token, device: Self.device, mailLanguage: "en-GB"), relayed(guest, key))
    }

    /// The account that a provider sign-in returns.
    func account(by token: GatewayV1.ProviderToken) async throws -> GatewayV1.Account {
        try #require(try await signIn(by: token).account)
    }

    /// Signs in as a guest.
    func signInAsGuest(key: String? = nil) async throws -> GatewayV1.Account {
        let answer = try await identities.signInAsGuest(
            .init(device: Self.device, mailLanguage: "en-GB"), context(key))
        return try #require(answer.account)
    }

    /// A guest and its access token.
    func guest() async throws -> (account: String, token: String) {
        let account = try await signInAsGuest().accountId
        return (account, devices.open(account, amr: Authentication.guest.amr))
    }

    /// A guest with a document, and its access token.
    func guestWithDocument() async throws -> (account: String, token: String) {
        let guest = try await guest()
        _ = try await service.data.documents.writeDocuments(
            .init(writes: [.make("settings", "main", #"{"of":"guest"}"#)]),
            relayed(guest.token))
        return guest
    }

    /// A registered account and its access token; the address is not verified.
    func member(_ email: String = "ada@example.org") async throws -> (id: String, token: String) {
        let id = try #require(try await register(email).account).accountId
        return (id, devices.open(id))
    }

    /// Links a provider identity.
    func link(
        _ token: GatewayV1.ProviderToken, in session: String, key: String? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await identities.linkProvider(
            .init(token: token, device: Self.device), relayed(session, key))
        return try #require(answer.account)
    }

    /// Removes a method.
    func unlink(
        _ method: String, in session: String, key: String? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await identities.unlinkMethod(
            .init(method: method, device: Self.device), relayed(session, key))
        return try #require(answer.account)
    }

    /// Registers, and proves the address with its link in the session that registered. Both mails
    /// are delivered.
    func registerProved(
        _ email: String = "ada@example.org", password: String = "Correct7Horse"
    ) async throws -> GatewayV1.Account {
        let account = try #require(try await register(email, password: password).account)
        try await relay()
        _ = try await accounts.confirmEmail(
            .init(token: try latestToken(to: email)), relayed(devices.open(account.accountId)))
        try await relay()
        return account
    }

    /// The number of audit events of a kind, with an outcome if one is given.
    func audited(_ kind: AuditKindName, outcome: String? = nil) async throws -> Int64 {
        let condition = outcome.map { " AND outcome = '\($0)'" } ?? ""
        return try await count("audit", where: "kind = '\(kind)'\(condition)")
    }

    typealias AuditKindName = String

    /// The templates of the delivered mails, in order.
    var templates: [String] { notifications.mails.map(\.template) }
}
