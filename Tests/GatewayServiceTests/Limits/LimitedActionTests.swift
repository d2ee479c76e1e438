import Contracts
import Messages
import ServiceRuntime
import Testing

@testable import GatewayService

@Suite("R-03: each flow charges its limits")
struct LimitedActionTests {
    private static let address = LimitedCaller.address("192.0.2.7")
    private static let application = LimitedCaller.application("app")

    @Test(
        "R-03: the charges of each flow are right with and without an address",
        arguments: [
            (
                .signUp(email: "Ada@Example.ORG", caller: address),
                [
                    "sign-up-by-address": "192.0.2.7",
                    "sign-up-on-taken-email": "192.0.2.7|ada@example.org",
                ]
            ),
            (
                .signUp(email: "ada@example.org", caller: application),
                [
                    "unaddressed-by-application": "app",
                    "sign-up-on-taken-email": "app|ada@example.org",
                ]
            ),
            (
                .signIn(email: "Ada@Example.ORG", device: "D1", caller: address),
                [
                    "failed-sign-in-by-account": "ada@example.org",
                    "failed-sign-in-by-address": "192.0.2.7",
                    "failed-sign-in-by-device": "192.0.2.7|D1",
                ]
            ),
            (
                .signIn(email: "ada@example.org", device: "d1", caller: application),
                [
                    "failed-sign-in-by-account": "ada@example.org",
                    "unaddressed-by-application": "app",
                ]
            ),
            (
                .signIn(email: "", device: "", caller: address),
                [
                    "failed-sign-in-by-address": "192.0.2.7",
                    "failed-sign-in-by-device": "192.0.2.7|",
                ]
            ),
            (
                .signIn(email: "ada@example.org", device: "d1", caller: .address("2001:db8::1")),
                [
                    "failed-sign-in-by-account": "ada@example.org",
                    "failed-sign-in-by-address": "2001:db8::1",
                    "failed-sign-in-by-device": "2001:db8::1|d1",
                    "failed-sign-in-by-site": "2001:db8::1",
                ]
            ),
            (
                .passwordReset(email: "Ada@Example.ORG", caller: address),
                [
                    "password-reset-by-email": "ada@example.org",
                    "password-reset-by-address": "192.0.2.7",
                ]
            ),
            (
                .passwordReset(email: "ada@example.org", caller: application),
                [
                    "password-reset-by-email": "ada@example.org",
                    "unaddressed-by-application": "app",
                ]
            ),
            (.disownedSignIn(caller: address), ["password-reset-by-address": "192.0.2.7"]),
            (
                .deletionLink(email: "Ada@Example.ORG", caller: address),
                [
                    "deletion-link-by-email": "ada@example.org",
                    "password-reset-by-address": "192.0.2.7",
                ]
            ),
            (.unrequestedMail(email: "Ada@Example.ORG"), ["mail-by-target": "ada@example.org"]),
            (
                .unrequestedMail(email: "Ada@Example.ORG", isGuarded: true),
                ["mail-by-target": "ada@example.org"]
            ),
            (.rightPassword(email: "Ada@Example.ORG"), ["sign-in-by-account": "ada@example.org"]),
            (
                .parentalMail(account: "acc_0000000000001"),
                ["parental-mail-by-account": "acc_0000000000001"]
            ),
            (
                .verificationMail(account: "acc_0000000000001"),
                ["verification-mail-by-account": "acc_0000000000001"]
            ),
            (
                .deletion(account: "acc_0000000000001"),
                ["deletion-by-account": "acc_0000000000001"]
            ),
            (
                .providerSignIn(device: "d1", caller: address),
                [
                    "failed-provider-by-address": "192.0.2.7",
                    "failed-provider-by-device": "192.0.2.7|d1",
                ]
            ),
            (
                .providerSignIn(device: "d1", caller: application),
                ["unaddressed-by-application": "app"]
            ),
            (
                .providerProof(account: "acc_0000000000001", device: "d1", caller: address),
                [
                    "failed-provider-by-account": "acc_0000000000001",
                    "failed-provider-by-address": "192.0.2.7",
                    "failed-provider-by-device": "192.0.2.7|d1",
                ]
            ),
            (.guestSignUp(caller: address), ["guest-sign-up-by-address": "192.0.2.7"]),
            (.guestSignUp(caller: application), ["unaddressed-by-application": "app"]),
            (
                .guestSignUp(caller: address, app: "shop-web"),
                ["guest-sign-up-by-address": "192.0.2.7", "new-account-by-app": "shop-web"]
            ),
            (
                .signUp(email: "ada@example.org", caller: address, app: "shop-web"),
                [
                    "sign-up-by-address": "192.0.2.7", "new-account-by-app": "shop-web",
                    "sign-up-on-taken-email": "192.0.2.7|ada@example.org",
                ]
            ),
            (.passwordCheck(caller: address), ["password-check-by-address": "192.0.2.7"]),
            (.passwordCheck(caller: application), ["unaddressed-by-application": "app"]),
            (
                .phoneCodeRequest(number: "+4915112345678", caller: address),
                [
                    "phone-code-request": "+4915112345678",
                    "phone-code-by-address": "192.0.2.7",
                    "phone-code-by-block": "+4915112345678",
                    "phone-code-by-country": "+4915112345678",
                ]
            ),
            (
                .phoneCodeRequest(number: "+4915112345678", caller: application),
                [
                    "phone-code-request": "+4915112345678", "unaddressed-by-application": "app",
                    "phone-code-by-block": "+4915112345678",
                    "phone-code-by-country": "+4915112345678",
                ]
            ),
            (
                .phoneCodeGuess(
                    number: "+4915112345678", request: "pcr_1", device: "d1", caller: address),
                [
                    "phone-code-guess": "+4915112345678",
                    "phone-code-guess-by-address": "192.0.2.7",
                ]
            ),
            (
                .documentWrite(account: "acc_0000000000001", collections: ["settings"]),
                ["document-write-by-account": "acc_0000000000001"]
            ),
            (
                .documentWrite(
                    account: "acc_0000000000001", collections: ["settings", "profile", "profile"]),
                [
                    "document-write-by-account": "acc_0000000000001",
                    "profile-update-by-account": "acc_0000000000001",
                ]
            ),
            (
                .documentWrite(
                    account: "acc_0000000000001", collections: ["settings"], units: 1),
                [
                    "document-write-by-account": "acc_0000000000001",
                    "document-work-by-account": "acc_0000000000001",
                ]
            ),
            (
                .documentWork(account: "acc_0000000000001", units: 59),
                ["document-work-by-account": "acc_0000000000001"]
            ),
            (
                .profileUpdate(account: "acc_0000000000001"),
                ["profile-update-by-account": "acc_0000000000001"]
            ),
            (
                .photoUpload(account: "acc_0000000000001"),
                ["profile-update-by-account": "acc_0000000000001"]
            ),
            (
                .guestBundle(account: "acc_0000000000001"),
                ["guest-bundle-by-account": "acc_0000000000001"]
            ),
            (
                .pushDevice(account: "acc_0000000000001"),
                ["push-device-by-account": "acc_0000000000001"]
            ),
            (
                .dataExport(account: "acc_0000000000001"),
                ["export-by-account": "acc_0000000000001"]
            ),
            (
                .push(account: "acc_0000000000001"),
                ["push-by-account": "acc_0000000000001"]
            ),
            (.passkey(caller: address), ["failed-passkey-by-address": "192.0.2.7"]),
            (.passkey(caller: application), ["unaddressed-by-application": "app"]),
            (.backendAccount(application: "shop"), ["backend-account-by-application": "shop"]),
            (.secondProof(caller: address), ["second-proof-by-address": "192.0.2.7"]),
            (.secondProof(caller: application), ["unaddressed-by-application": "app"]),
            (
                .challengeCode(account: "acc_0000000000001"),
                ["challenge-code-by-account": "acc_0000000000001"]
            ),
            (
                .mailedCodeGuess(account: "acc_0000000000001"),
                ["mailed-code-guess": "acc_0000000000001"]
            ),
            (
                .totpGuess(account: "acc_0000000000001", after: .password, device: "d1"),
                ["totp-guess": "acc_0000000000001|password"]
            ),
        ] as [(LimitedAction, [String: String])])
    func table(action: LimitedAction, charges: [String: String]) {
        #expect(action.charges.count == charges.count)
        for charge in action.charges { #expect(charges[charge.limit] == charge.subject) }
    }

    @Test("M7: a mail after a right password is not charged if its caller cancels")
    func guarded() {
        let cancelled = ServiceError(.cancelled)
        for (action, settlement) in [
            (LimitedAction.unrequestedMail(email: "a"), ChargeSettlement.stays),
            (.unrequestedMail(email: "a", isGuarded: true), .refunded),
        ] {
            #expect(ChargeSettlement(of: action.kind, after: cancelled) == settlement)
        }
    }

    @Test("R-03: every limit that is charged exists in the limiter")
    func known() {
        for caller in [Self.address, Self.application] {
            for action in [
                LimitedAction.signUp(email: "a", caller: caller, app: "shop-web"),
                .signIn(email: "a", device: "d", caller: caller),
                .providerSignIn(device: "d", caller: caller),
                .providerProof(account: "a", device: "d", caller: caller),
                .guestSignUp(caller: caller), .passwordCheck(caller: caller),
                .phoneCodeRequest(number: "+4915112345678", caller: caller),
                .phoneCodeGuess(
                    number: "+4915112345678", request: "pcr_1", device: "d", caller: caller),
                .passwordReset(email: "a", caller: caller), .unrequestedMail(email: "a"),
                .deletionLink(email: "a", caller: caller), .parentalMail(account: "a"),
                .documentWrite(account: "a", collections: ["profile"]),
                .profileUpdate(account: "a"), .photoUpload(account: "a"),
                .guestBundle(account: "a"), .pushDevice(account: "a"),
                .dataExport(account: "a"), .deletion(account: "a"),
                .push(account: "a"), .passkey(caller: caller),
                .backendAccount(application: "shop"),
                .secondProof(caller: caller), .challengeCode(account: "a"),
                .mailedCodeGuess(account: "a"),
                .totpGuess(account: "a", after: .resetLink, device: "d"),
            ] {
                for charge in action.charges + action.restartedCharges {
                    #expect(LimitName(rawValue: charge.limit) != nil, "\(charge.limit)")
                }
            }
        }
    }

    @Test("R-03: the longest email and device give subjects that the limiter accepts")
    func longest() {
        let email = String(repeating: "é", count: 10_000)
        let device = String(repeating: "d", count: 128)
        let caller = LimitedCaller.address("2001:0db8:0001:0002:ffff:ffff:ffff:ffff")
        for action in [
            LimitedAction.signUp(email: email, caller: caller),
            .signIn(email: email, device: device, caller: caller),
            .providerSignIn(device: device, caller: caller),
            .providerProof(account: "acc_0000000000001", device: device, caller: caller),
            .guestSignUp(caller: caller), .unrequestedMail(email: email),
            .passwordReset(email: email, caller: caller),
            .deletionLink(email: email, caller: caller),
            .phoneCodeGuess(
                number: "+4915112345678", request: email, device: device, caller: caller),
            .totpGuess(account: "acc_0000000000001", after: .resetLink, device: device),
        ] {
            for charge in action.charges {
                #expect((1...512).contains(charge.subject.utf8.count))
                #expect(charge.target.isEmpty, "an invalid request id is left out")
            }
        }
    }

    @Test("R-03: only ASCII letters are lowercased: the Kelvin sign does not become k")
    func kelvin() {
        let kelvin = LimitedAction.signIn(
            email: "\u{212a}@example.org", device: "", caller: Self.address)
        #expect(kelvin.charges.first?.subject.utf8.first == "\u{212a}".utf8.first)
    }
}
