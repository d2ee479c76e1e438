import Contracts
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService
@testable import PersonalData

// What a person shows: links of mails, codes of text messages, and tokens of providers.

extension PreparedPerson {
    /// An export can be fetched without its link.
    func link(_ page: LinkPage) async throws -> String {
        guard page != .yourData else { return "" }
        guard readsMessages else { return page.rawValue }
        return try await once(page.rawValue) {
            try await gateway.inner.linkToken(to: request(page), page: page.rawValue)
        }
    }

    /// Makes the call that mails a link.
    /// - Returns: the mailbox.
    private func request(_ page: LinkPage) async throws -> String {
        switch page {
        case .verifyEmail: return try await occupied()
        case .resetPassword:
            _ = try await gateway.passwords.requestPasswordReset(
                .init(email: email, device: own), outside)
        case .changeEmail:
            try await changesEmail()
            return changedEmail
        case .deleteAccount:
            _ = try await gateway.accountDeletion.requestDeletionLink(
                .init(email: email), outside)
        case .keepAccount:
            try await verifiesEmail()
            try await waitsForDeletion()
        case .notMe:
            try await verifiesEmail()
            _ = try await gateway.signIn(
                email, password: Bound.password, device: "\(name)-thief", in: outside)
        case .keepSecondFactors:
            try await verifiesEmail()
            try await losesItsFactors()
        case .yourData: _ = try await export()
        case .parent:
            let parent = "parent-\(name)"
            _ = try await gateway.consents.requestParentalConsent(
                .init(parentEmail: Bound.email(parent)), inside)
            return Bound.mailbox(parent)
        }
        return Bound.mailbox(name)
    }

    /// Mails about a deletion, and links that disown a sign-in, go to verified addresses only.
    private func verifiesEmail() async throws {
        let token = try await gateway.inner.linkToken(to: Bound.mailbox(name))
        _ = try await gateway.auth.verifyEmail(.init(token: token, device: own), inside)
    }

    /// Attack: a stranger signs up with another address of this person, and waits for the click. So
    /// the link replaces the stranger's password.
    /// - Returns: the mailbox.
    private func occupied() async throws -> String {
        let mailbox = "occupied-\(name)@example.org"
        _ = try await gateway.auth.signUpWithPassword(
            .init(
                email: mailbox, password: Bound.secret(Bound.newPassword),
                device: GatewayFixture.device("\(name)-stranger"),
                acceptance: Bound.acceptance()), outside)
        return mailbox
    }

    func code(
        for purpose: GatewayV1.PhoneCodePurpose?, _ index: Int
    ) async throws -> GatewayV1.PhoneCodeProof {
        try await once("code \(index), \(String(describing: purpose))") {
            let request =
                if let purpose {
                    try await gateway.phone.requestPhoneCode(
                        .init(phoneNumber: phone(index), purpose: purpose, device: own), inside
                    ).requestId
                } else {
                    try await gateway.phone.requestSignInCode(
                        .init(phoneNumber: phone(index), device: own), outside
                    ).requestId
                }
            let digits = try await gateway.inner.phoneCode(to: Bound.e164(number, index))
            return GatewayV1.PhoneCodeProof(
                requestId: request, phoneNumber: phone(index), code: Bound.code(digits))
        }
    }

    func challenge() async throws -> String {
        try await once("challenge") {
            try await verifiesEmail()
            for method in ["apple", "phone"] { try await links(method) }
            try await gateway.changeNumber(Bound.e164(number, 0))
            let code = try await code(for: nil, 0)
            let error = try await refusal {
                try await gateway.phone.signInWithPhoneCode(
                    .init(
                        requestId: code.requestId, phoneNumber: code.phoneNumber,
                        code: code.code, device: own), outside)
            }
            return try #require(error.secondProof?.challenge)
        }
    }

    func mailedChallengeCode() async throws -> (challenge: String, code: String) {
        let challenge = try await challenge()
        let code = try await once("challenge code") {
            _ = try await gateway.challenges.sendChallengeCode(
                .init(challenge: challenge, kind: .email, device: own), outside)
            return try await gateway.inner.mailedCode(to: Bound.mailbox(name))
        }
        return (challenge, code)
    }

    /// Another one each time: its nonce can be used once.
    func token(of provider: String, _ index: Int) async throws -> GatewayV1.ProviderToken {
        let subject = "\(name)-\(index)"
        let mailbox = "\(provider)-\(subject)@example.org"
        return try await provider == "apple"
            ? fixture.appleToken(of: subject, email: mailbox)
            : fixture.googleToken(of: subject, email: mailbox)
    }

    /// Relayed methods need Google's only.
    func links(_ method: String) async throws {
        guard readsMessages || method == "google" else { return }
        try await once("linked \(method)") {
            guard method == "phone" else {
                _ = try await fixture.link(
                    token(of: method, 0), to: signedIn.session, in: outside)
                return
            }
            let code = try await code(for: .link, 0)
            _ = try await gateway.phone.linkPhone(
                .init(
                    requestId: code.requestId, phoneNumber: code.phoneNumber, code: code.code,
                    device: own), inside)
            // A second code to a number may have to wait for a minute.
            gateway.time.advance(by: .seconds(61))
        }
    }

    func removesPassword() async throws {
        guard readsMessages else { return }
        try await once("removed password") {
            try await verifiesEmail()
            try await links("google")
            _ = try await gateway.methods.unlinkMethod(
                .init(method: "password", device: own), inside)
        }
    }
}

extension ProviderFixture {
    /// Runs `test` where each person of `PublicCalls` can be prepared: with the rules and terms of
    /// the table, and with an age gate that a parent opens.
    static func withPeople(_ test: (ProviderFixture) async throws -> Void) async throws {
        try await with(
            rules: CallStage.rules, guestData: .ask,
            consent: ConsentSettings(
                versions: ConsentVersions(terms: Bound.terms, privacy: Bound.privacy),
                age: AgeSettings(gate: .required, parentalConsent: .allowed)), test)
    }
}
