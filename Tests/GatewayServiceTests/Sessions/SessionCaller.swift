import Messages
import PublicCalls
import RPC
import ServiceRuntime
import Testing

@testable import GatewayService

/// Who makes the call of a `SessionRow` in one state of the session. What a sign-in needs exists: it
/// is judged before the session, and a sign-in that succeeds uses a guest's session up. The session
/// is judged before other tokens and ids, so these are placeholders.
struct SessionCaller: PlaceholderCaller {
    let number: Int
    let device: CallDevice
    private let fixture: ProviderFixture

    init(_ number: Int, _ fixture: ProviderFixture) throws {
        self.number = number
        self.fixture = fixture
        device = try CallDevice(Self.name(number), time: fixture.gateway.time)
    }

    /// The context of a call that prepares something, from an address of its own.
    private func setUp(_ key: String? = nil) -> CallContext {
        fixture.gateway.context(key, address: "203.0.113.\(number)")
    }

    /// An account of its own, whatever its kind, beside those that `CallerTokens` has.
    func account(_ kind: CallerKind) async throws -> CallSession {
        let signedUp = try await fixture.gateway.signUp(
            email, password: Bound.password, in: setUp("account-\(number)"))
        return CallSession(
            accountID: signedUp.account.accountId, sessionID: signedUp.session.sessionId,
            accessToken: signedUp.session.accessToken,
            refreshToken: signedUp.session.refreshToken)
    }

    /// To reset a password; a reset ends the sessions of its account, so each state has one.
    func link(_ page: LinkPage) async throws -> String {
        guard page == .resetPassword else { return page.rawValue }
        let (gateway, mailbox) = (fixture.gateway, "\(name)@reset.example.org")
        _ = try await gateway.signUp(mailbox, in: setUp())
        _ = try await gateway.passwords.requestPasswordReset(.init(email: mailbox), setUp())
        return try await gateway.inner.linkToken(to: mailbox, page: page.rawValue)
    }

    /// To sign in with, whatever its purpose.
    func code(
        for purpose: GatewayV1.PhoneCodePurpose?, _ index: Int
    ) async throws -> GatewayV1.PhoneCodeProof {
        let sent = try await fixture.gateway.sentCode(Bound.e164(number, index))
        return .init(
            requestId: sent.request, phoneNumber: phone(index), code: Bound.code(sent.code))
    }

    /// Of an account of its own.
    func challenge() async throws -> String {
        let gateway = fixture.gateway
        let mobile = Bound.e164(number, 0)
        let token = try await account(.owner).accessToken
        let linking = try await gateway.sentCode(mobile, .link, accessToken: token)
        _ = try await gateway.phone.linkPhone(
            .init(
                requestId: linking.request, phoneNumber: mobile, code: linking.code,
                device: own), setUp().bearing(token))
        try await gateway.changeNumber(mobile)
        let sent = try await gateway.sentCode(mobile)
        let error = try await refusal {
            try await gateway.phone.signInWithPhoneCode(
                .init(
                    requestId: sent.request, phoneNumber: mobile, code: sent.code, device: own),
                setUp())
        }
        return try #require(error.secondProof?.challenge)
    }

    func token(of provider: String, _ index: Int) async throws -> GatewayV1.ProviderToken {
        let subject = "\(name)-\(index)"
        guard provider == "apple" else { return try await fixture.googleToken(of: subject) }
        return try await fixture.appleToken(of: subject)
    }
}
