import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-10: accounts that a backend creates", .timeLimit(.minutes(1)))
struct CreateAccountTests {
    let fixture: BackendAccountsFixture
    private var identity: IdentityFixture { fixture.identity }

    init() throws { fixture = try BackendAccountsFixture() }

    private static let whole = GatewayV1.CreateAccountRequest(
        email: "Ada@example.org", emailVerified: true, phoneNumber: "+49 1511 2345678",
        password: "Correct7Horse", displayName: "Ada", mailLanguage: "de", roles: ["editor"],
        claimsJson: #"{"plan":"a"}"#)

    @Test("it has all that the request names, and the first sign-in takes its role along")
    func whole() async throws {
        let made = try await fixture.create(Self.whole)
        let account = try #require(made.account)
        #expect(made.removedMethods.isEmpty)
        #expect(account.email == "Ada@example.org" && account.emailVerified)
        #expect(account.phoneNumber == "+4915112345678" && account.displayName == "Ada")
        #expect(account.methods == ["password", "phone"] && account.status == .active)
        // It has not been signed in to.
        #expect(account.lastSignIn == nil)
        let claims = try await fixture.claims(of: account.accountId)
        #expect(claims.roles == ["editor"] && claims.claimsJson == #"{"plan":"a"}"#)
        try await identity.relay()
        #expect(identity.notifications.mails.isEmpty)
        let signedIn = try await identity.signIn("ada@example.org")
        #expect(signedIn.account?.accountId == account.accountId)
        #expect(signedIn.proof?.roles == ["editor"])
        #expect(signedIn.proof?.claimsVersion == claims.version)
        let record = "kind = 'account.created-by-backend' AND actor = 'crm/ann'"
        #expect(try await identity.count("audit", where: record) == 1)
    }

    @Test("a number alone is enough; a link is mailed only if the backend wants it")
    func least() async throws {
        let phone = try await fixture.create(.init(phoneNumber: "+4915112345678"), key: "1")
        #expect(phone.account?.methods == ["phone"] && phone.account?.email == "")
        let unverified = try await fixture.create(.init(email: "ada@example.org"), key: "2")
        #expect(unverified.account?.emailVerified == false && unverified.account?.methods == [])
        try await identity.relay()
        #expect(identity.notifications.mails.isEmpty)
        _ = try await fixture.create(
            .init(email: "eve@example.org", sendVerification: true), key: "3")
        try await identity.relay()
        #expect(identity.notifications.mails.map(\.recipient) == ["eve@example.org"])
        #expect(identity.notifications.mails.map(\.template) == ["verify-email"])
    }

    @Test("G-02: with required verification an unverified address waits for it")
    func pending() async throws {
        let fixture = try BackendAccountsFixture(try IdentityFixture(verification: .required))
        let unverified = try await fixture.create(
            .init(email: "ada@example.org", password: "Correct7Horse"), key: "1")
        #expect(unverified.account?.status == .pendingVerification)
        let verified = try await fixture.create(
            .init(email: "eve@example.org", emailVerified: true), key: "2")
        #expect(verified.account?.status == .active)
    }

    @Test(
        "a request that makes no sense is refused with its field, and nothing is written",
        arguments: [
            (.init(), .invalidArgument, ["email", "phone_number"]),
            (.init(email: "ada"), .invalidEmail, ["email"]),
            (.init(phoneNumber: "+49"), .invalidPhoneNumber, ["phone_number"]),
            (
                .init(emailVerified: true, phoneNumber: "+4915112345678"), .invalidArgument,
                ["email_verified"]
            ),
            (
                .init(phoneNumber: "+4915112345678", password: "Correct7Horse"), .invalidArgument,
                ["password"]
            ),
            (
                .init(email: "a@example.org", emailVerified: true, sendVerification: true),
                .invalidArgument, ["send_verification"]
            ),
            (.init(email: "a@example.org", password: "short"), .weakPassword, ["password"]),
            (
                .init(email: "a@example.org", displayName: "a\nb"), .invalidArgument,
                ["display_name"]
            ),
            (
                .init(email: "a@example.org", mailLanguage: "d e"), .invalidArgument,
                ["mail_language"]
            ),
            (.init(email: "a@example.org", roles: ["Admin"]), .invalidArgument, ["roles"]),
            (
                .init(email: "a@example.org", claimsJson: #"{"sub":"x"}"#), .invalidArgument,
                ["claims_json"]
            ),
        ] as [(GatewayV1.CreateAccountRequest, ErrorCode, [String])])
    func refused(
        request: GatewayV1.CreateAccountRequest, code: ErrorCode, fields: [String]
    ) async throws {
        let error = try await refusal { try await fixture.create(request) }
        #expect(error.code == code && Set(error.fields) == Set(fields))
        #expect(try await identity.count("accounts") == 0)
        // The key is not used up.
        #expect(try await fixture.create(.init(email: "a@example.org")).account != nil)
    }

    @Test("A-06: a number to which no code is sent is no way to sign in")
    func countries() async throws {
        let fixture = try BackendAccountsFixture(
            try IdentityFixture(phone: PhoneSettings(countries: ["FR"])))
        let error = try await refusal {
            try await fixture.create(.init(phoneNumber: "+4915112345678"))
        }
        #expect(error == ServiceError(.phoneCountryNotAllowed, fields: ["phone_number"]))
    }

    @Test("I-04: an address or a number of another account is refused")
    func taken() async throws {
        _ = try await fixture.create(Self.whole, key: "1")
        let email = try await refusal {
            try await fixture.create(.init(email: "ada@example.org", emailVerified: true), key: "2")
        }
        #expect(email == ServiceError(.emailAlreadyInUse, fields: ["email"]))
        let number = try await refusal {
            try await fixture.create(.init(phoneNumber: "+4915112345678"), key: "3")
        }
        #expect(number == ServiceError(.credentialAlreadyInUse, fields: ["phone_number"]))
        #expect(try await identity.count("accounts") == 1)
    }

    // MARK: Takeover

    /// A stranger's account with Ada's address, which is not verified.
    private func squat() async throws -> String {
        try #require(
            try await identity.register("ada@example.org", password: "Stranger7Password").account
        ).accountId
    }

    @Test("X-04: an unverified address is taken over by the backend's word, and by nothing else")
    func takenOver() async throws {
        let stranger = try await squat()
        let unvouched = try await refusal {
            try await fixture.create(.init(email: "ada@example.org"), key: "1")
        }
        #expect(unvouched.code == .emailAlreadyInUse)
        let made = try await fixture.create(Self.whole, key: "2")
        let account = try #require(made.account)
        #expect(account.accountId == stranger && made.removedMethods == ["password"])
        #expect(account.emailVerified && account.email == "Ada@example.org")
        #expect(account.displayName == "Ada")
        let password = try await refusal {
            try await identity.signIn(password: "Stranger7Password")
        }
        #expect(password.code == .invalidCredential)
        #expect(try await identity.signIn().account?.accountId == stranger)
        try await identity.relay()
        #expect(identity.sessions.ended.map(\.accountId) == [stranger])
        #expect(identity.notifications.mails.map(\.template).contains("account-set-up"))
        // A repeat says the same.
        let again = try await fixture.create(Self.whole, key: "2")
        #expect(again.removedMethods == ["password"])
    }

    @Test("X-04: of the former holder's claims and number nothing is left")
    func cleared() async throws {
        let stranger = try await squat()
        _ = try await fixture.setClaims(stranger, .init(roles: ["admin"]), key: "1")
        _ = try await fixture.create(.init(email: "ada@example.org", emailVerified: true), key: "2")
        let claims = try await fixture.claims(of: stranger)
        #expect(claims.roles.isEmpty && claims.claimsJson.isEmpty && claims.version > 0)
    }

    @Test("I-09: a suspended account is not taken over")
    func suspended() async throws {
        let stranger = try #require(AccountID(text: try await squat()))
        _ = try await identity.store.write(about: [.account(stranger)]) {
            try $0.apply(.suspend, stranger)
        }
        let error = try await refusal { try await fixture.create(Self.whole) }
        #expect(error.code == .emailAlreadyInUse)
    }

    @Test("the rule: only an unverified address of an account that could sign in, by the word")
    func rule() {
        let statuses: [AccountStatus] = [.active, .pendingVerification, .suspended, .deleting]
        for status in statuses {
            for (isProved, isVouchedFor) in [(false, true), (false, false), (true, true)] {
                let isTakenOver = ManagedAddressRule.isTakenOver(
                    status: status, isProved: isProved, isVouchedFor: isVouchedFor)
                let mayBe = status == .active || status == .pendingVerification
                #expect(isTakenOver == (mayBe && !isProved && isVouchedFor), "\(status)")
            }
        }
    }

    // MARK: Repeats

    @Test("G-25: a repeat makes no second account; another request under its key is refused")
    func repeats() async throws {
        let first = try await fixture.create(Self.whole)
        let rows = try await fixture.rows()
        #expect(try await fixture.create(Self.whole) == first)
        #expect(try await fixture.rows() == rows)
        let other = try await refusal {
            try await fixture.create(.init(email: "eve@example.org"))
        }
        #expect(other.code == .idempotencyKeyReused)
        #expect(try await identity.count("accounts") == 1)
    }
}
