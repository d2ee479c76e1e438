import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

/// Calls that need recent authentication.
enum SensitiveCall: CaseIterable, Sendable {
    case link, unlink, changeEmail, orderExport, fetchExport, nameParent, deleteAccount
    case beginTOTP, removeFactor, makeRecoveryCodes, changePassword
    case addPasskey, renamePasskey, removePasskey

    /// Makes the call.
    /// - Returns: its error; nil for none.
    func code(_ fixture: IdentityFixture, _ token: String) async throws -> ErrorCode? {
        do {
            try await run(fixture, token)
            return nil
        } catch let error as ServiceError {
            return error.code
        }
    }

    private func run(_ fixture: IdentityFixture, _ token: String) async throws {
        let (core, device) = (fixture.service.core, IdentityFixture.device)
        let context = fixture.relayed(token)
        switch self {
        case .link: _ = try await fixture.link(.token("g1"), in: token)
        case .unlink: _ = try await fixture.unlink("google", in: token)
        case .changeEmail: _ = try await fixture.requestChange("new@example.org", token)
        case .orderExport: _ = try await fixture.orderExport(token)
        case .fetchExport: _ = try await fixture.fetch(token, "exp_0000000000001")
        case .nameParent:
            _ = try await fixture.consents.requestParentalConsent(
                .init(parentEmail: "eve@example.org"), context)
        case .deleteAccount:
            let confirmation = try await fixture.confirm(IdentityFixture.caller(token))
            _ = try await fixture.requestDeletion(
                confirmation, by: IdentityFixture.caller(token), wait: true)
        case .beginTOTP:
            let handler = core.secondFactors
            _ = try await handler.beginTOTP(
                .init(),
                handler.call(SecondFactorsDescription.beginTOTP, nil, context))
        case .removeFactor:
            let handler = core.secondFactors
            let request = GatewayV1.RemoveSecondFactorRequest(factorId: "fac_0000000000001")
            _ = try await handler.removeSecondFactor(
                request,
                handler.call(SecondFactorsDescription.removeSecondFactor, request, context))
        case .makeRecoveryCodes:
            let handler = core.secondFactors
            let request = GatewayV1.RegenerateRecoveryCodesRequest(device: device)
            _ = try await handler.regenerateRecoveryCodes(
                request,
                handler.call(SecondFactorsDescription.regenerateRecoveryCodes, request, context))
        case .addPasskey:
            let request = GatewayV1.BeginPasskeyAddRequest()
            _ = try await core.passkeys.beginPasskeyAdd(
                request,
                core.passkeys.call(PasskeysDescription.beginPasskeyAdd, request, context))
        case .renamePasskey:
            let request = GatewayV1.RenamePasskeyRequest(passkeyId: "pky_0000000000001", name: "a")
            _ = try await core.passkeys.renamePasskey(
                request, core.passkeys.call(PasskeysDescription.renamePasskey, request, context))
        case .removePasskey:
            let request = GatewayV1.RemovePasskeyRequest(passkeyId: "pky_0000000000001")
            _ = try await core.passkeys.removePasskey(
                request, core.passkeys.call(PasskeysDescription.removePasskey, request, context))
        case .changePassword:
            _ = try await fixture.credentials.changePassword(
                .init(
                    currentPassword: "Correct7Horse", newPassword: "Owners9Password",
                    device: device), context)
        }
    }
}

/// Attack: somebody who has the password, and finds a session open, adds or removes a factor, or what
/// signs in, of an account that has a second factor (Supabase auth #2565).
@Suite(
    "F-04: sensitive calls ask for the highest assurance that the account can reach",
    .timeLimit(.minutes(1)))
struct StepUpTests {
    @Test("without a factor one recent proof is enough", arguments: SensitiveCall.allCases)
    func one(call: SensitiveCall) async throws {
        let fixture = try IdentityFixture()
        let account = try await fixture.registerProved().accountId
        let token = fixture.devices.open(account)
        #expect(try await call.code(fixture, token) != .requiresRecentLogin)
    }

    @Test(
        "with a factor they need a second proof of the last five minutes",
        arguments: SensitiveCall.allCases)
    func two(call: SensitiveCall) async throws {
        let fixture = try IdentityFixture()
        let account = try await fixture.registerProved().accountId
        let token = fixture.devices.open(account)
        _ = try await fixture.plantFactor(in: account)
        #expect(try await call.code(fixture, token) == .requiresRecentLogin, "one proof")
        for amr in [["fed"], ["hwk", "user"], ["sms", "otp"]] {
            fixture.devices.proveAgain(token, amr: amr)
        }
        #expect(try await call.code(fixture, token) == .requiresRecentLogin, "others of one")
        fixture.devices.proveAgain(token, amr: Authentication.totp.amr)
        fixture.time.advance(by: .seconds(300))
        fixture.devices.proveAgain(token, amr: Authentication.password.amr)
        #expect(try await call.code(fixture, token) == .requiresRecentLogin, "too old")
        fixture.devices.proveAgain(token, amr: Authentication.recoveryCode.amr)
        #expect(try await call.code(fixture, token) != .requiresRecentLogin)
    }

    @Test("the error names what would do: the factors that the account has, and no other proof")
    func acceptable() async throws {
        let fixture = try IdentityFixture()
        let (account, token) = try await fixture.member()
        func named() async throws -> [String] {
            try await refusal { try await fixture.link(.token("g1"), in: token) }.acceptableProofs
        }
        _ = try await fixture.plantFactor(in: account)
        #expect(try await named() == ["recovery_code", "totp_code"])
        try await fixture.change("DELETE FROM recovery_codes")
        #expect(try await named() == ["totp_code"])
        // As a later build may have stored it: the account has a factor, and none to show here.
        try await fixture.change("UPDATE second_factors SET kind = 'another'")
        #expect(try await named() == [])
        // The level follows from the factors, and is stored nowhere.
        try await fixture.change("DELETE FROM second_factors")
        _ = try await fixture.link(.token("g1"), in: token)
    }

    @Test("G-25: the repeat of a password change needs no new proof")
    func repeated() async throws {
        let fixture = try IdentityFixture()
        let (account, token) = try await fixture.member()
        _ = try await fixture.plantFactor(in: account)
        fixture.devices.proveAgain(token, amr: Authentication.totp.amr)
        func change() async throws {
            _ = try await fixture.credentials.changePassword(
                .init(
                    currentPassword: "Correct7Horse", newPassword: "Owners9Password",
                    device: IdentityFixture.device), fixture.relayed(token, "k"))
        }
        try await change()
        fixture.time.advance(by: .seconds(300))
        try await change()
        #expect(try await fixture.count("audit", where: "kind = 'account.password-replaced'") == 1)
    }

    @Test("identity says by which proofs an owner could authenticate again, when it is asked to")
    func available() async throws {
        let fixture = try IdentityFixture()
        let (account, _) = try await fixture.member()
        func proofs(_ asks: Bool = true) async throws -> [IdentityV1.AvailableProof] {
            try await fixture.accounts.getAccount(
                .init(accountId: account, withProofs: asks), fixture.context()
            ).proofs
        }
        #expect(try await proofs() == [.init(kind: .password, acr: "aal1")])
        _ = try await fixture.plantFactor(in: account)
        #expect(
            try await proofs() == [
                .init(kind: .password, acr: "aal1"), .init(kind: .totpCode, acr: "aal2"),
                .init(kind: .recoveryCode, acr: "aal2"),
            ])
        #expect(try await proofs(false) == [])
    }
}
