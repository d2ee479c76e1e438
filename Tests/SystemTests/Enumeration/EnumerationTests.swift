import Foundation
import HTTPSink
import Messages
import TestSupport
import Testing

extension SystemTests {
    /// An attacker who measures times at the gateway of the built programs.
    @Suite("X-02: a stranger cannot learn whether an address has an account")
    struct Enumeration {
        /// Limits that would reject calls long before a difference showed are raised, or in shadow
        /// mode.
        private static let generousLimits = """
            failed-sign-in-by-account:
              shadow: true
            failed-sign-in-in-a-row:
              shadow: true
            sign-in-failures-overall:
              count: 1000000
            password-reset-by-email:
              shadow: true
            deletion-link-by-email:
              shadow: true
            phone-code-by-block:
              shadow: true
            phone-code-by-country:
              shadow: true

            """

        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        @Test("X-02: failed sign-ins look alike for all addresses, before and during a lockout")
        func signIn() async throws {
            try await with { cluster, caller in
                try await settlement(cluster, caller).settle(Resident.natives)
                let kinds = Resident.natives.map { signIn($0, caller) }
                let answer = try Likeness(call: "sign-in", kinds: kinds).expectAlike()
                #expect(answer.error?.code == "auth/invalid-credential")
                #expect(answer.error?.alternatives == ["reset-password", "passkey", "sign-up"])
                // With the limit's own rule; the file is read again within a second or two.
                try folder.write(
                    "sign-in-failures-overall-count: 1000000\nfailed-sign-in-in-a-row-shadow: true\n",
                    to: "limits.yaml")
                try await lockOut(kinds)
                let locked = try Likeness(
                    call: "locked-sign-in", kinds: kinds, isQuick: true, blank: Blanks.waits
                ).expectAlike()
                #expect(locked.error?.code == "auth/too-many-requests")
                #expect(locked.error?.alternatives == ["reset-password", "passkey"])
            }
        }

        @Test("X-02: failed sign-ins look alike while imported password hashes are stored")
        func signInBesideOthers() async throws {
            try await with { cluster, caller in
                try await settlement(cluster, caller).settle(Resident.allCases)
                let kinds = Resident.allCases.map { signIn($0, caller) }
                let answer = try Likeness(call: "sign-in-beside-others", kinds: kinds)
                    .expectAlike()
                #expect(answer.error?.code == "auth/invalid-credential")
            }
        }

        @Test("X-02: corrections of an address look alike, but for who may correct it")
        func correction() async throws {
            try await with { cluster, caller in
                try await settlement(cluster, caller).settle([.password, .verified, .suspended])
                // The right password of an account that keeps its address is as a wrong one.
                let kinds =
                    [
                        correction("unknown", caller, Resident.unknown.email, "Wrong7Horse"),
                        correction("wrong", caller, Resident.password.email, "Wrong7Horse"),
                    ]
                    + [Resident.verified, .suspended].map { resident in
                        correction(resident.rawValue, caller, resident.email, Person.password)
                    }
                let answer = try Likeness(call: "correction", kinds: kinds).expectAlike()
                #expect(answer.error?.code == "auth/invalid-credential")
            }
        }

        @Test("X-02: a reset and a link to delete the account answer alike for every address")
        func reset() async throws {
            try await with { cluster, caller in
                try await settlement(cluster, caller).settle(Resident.allCases)
                let kinds = Resident.allCases.map { resident in
                    Likeness.Kind(resident.rawValue) { number in
                        try caller.ask(
                            "Passwords/RequestPasswordReset",
                            GatewayV1.RequestPasswordResetRequest(
                                email: resident.email(number), device: Self.device))
                    }
                }
                let answer = try Likeness(call: "reset", kinds: kinds, isQuick: true).expectAlike()
                #expect(answer.status == 0)
                let links = Resident.allCases.map { resident in
                    Likeness.Kind(resident.rawValue) { number in
                        try caller.ask(
                            "AccountDeletion/RequestDeletionLink",
                            GatewayV1.RequestDeletionLinkRequest(email: resident.email(number)))
                    }
                }
                let link = try Likeness(call: "deletion-link", kinds: links, isQuick: true)
                    .expectAlike()
                #expect(link.status == 0)
            }
        }

        @Test("X-02: a code request answers alike for every number")
        func phoneCode() async throws {
            let texts = try await HTTPSink { _ in .answer(204) }
            try await with(Self.phones(texts)) { cluster, caller in
                let blocks = [("unknown", "1"), ("known", "0"), ("factor", "2")]
                let kinds = blocks.map { name, block in
                    Likeness.Kind(name) { number in
                        try caller.ask(
                            "PhoneSignIn/RequestSignInCode",
                            GatewayV1.RequestSignInCodeRequest(
                                phoneNumber: Self.phone(block, number),
                                device: Self.device))
                    }
                }
                let likeness = Likeness(
                    call: "phone-code", kinds: kinds, isQuick: true, blank: Blanks.phoneCode)
                // Each number is used once: a second code to one would have to wait.
                let known = (0..<likeness.asksMax).flatMap { number in
                    [("0", ""), ("2", Self.factors)].map { block, factors in
                        """
                        {"external_id":"\(block) \(number)",\
                        "phone_number":"\(Self.phone(block, number))"\(factors)}
                        """
                    }
                }
                try await settlement(cluster, caller).takeIn(known, from: "phones")
                let answer = try likeness.expectAlike()
                #expect(answer.status == 0)
            }
            await texts.close()
        }

        @Test(
            "X-02: with strict enumeration, sign-ups look alike, whoever owns the address",
            arguments: ["optional", "required"])
        func signUp(verification: String) async throws {
            let settings = [
                "POSTERN_ENUMERATION": "strict", "POSTERN_EMAIL_VERIFICATION": verification,
            ]
            try await with(settings) { cluster, caller in
                try await settlement(cluster, caller).settle([.provider, .bcrypt])
                let owned: [Resident] = [.provider, .bcrypt]
                let kinds =
                    [signUp("free", caller) { "fre\(100_000 + $0)@example.org" }]
                    + [signUp("claimed", caller) { Resident.unknown.email($0) }]
                    + owned.map { resident in
                        signUp(resident.rawValue, caller) { resident.email($0) }
                    }
                let answer = try Likeness(
                    call: "strict-sign-up-\(verification)", kinds: kinds, blank: Blanks.signUp
                ).expectAlike()
                #expect(answer.status == 0)
            }
        }

        // MARK: calls

        private static let device = GatewayV1.Device(deviceId: "stranger", platform: "cli")

        /// An authenticator app, in a line for `postern import jsonl`.
        private static let factors =
            ",\"second_factors\":[{\"totp_secret\":\"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\"}]"

        private static func phone(_ block: String, _ number: Int) -> String {
            "+4915\(block)1\(1_000_000 + number)"
        }

        private func signIn(_ resident: Resident, _ caller: PlainCaller) -> Likeness.Kind {
            Likeness.Kind(resident.rawValue) { number in
                try caller.ask(
                    "Auth/SignInWithPassword",
                    GatewayV1.SignInWithPasswordRequest(
                        email: resident.email(number), password: .init(text: resident.tried),
                        device: Self.device))
            }
        }

        /// A correction of an address to one that nobody has.
        private func correction(
            _ name: String, _ caller: PlainCaller, _ email: @escaping (Int) -> String,
            _ password: String
        ) -> Likeness.Kind {
            Likeness.Kind(name) { number in
                try caller.ask(
                    "Emails/CorrectEmail",
                    GatewayV1.CorrectEmailRequest(
                        email: email(number), password: .init(text: password),
                        newEmail: "fre\(100_000 + number)@example.org", device: Self.device))
            }
        }

        private func signUp(
            _ name: String, _ caller: PlainCaller, _ email: @escaping (Int) -> String
        ) -> Likeness.Kind {
            Likeness.Kind(name) { number in
                try caller.ask(
                    "Auth/SignUpWithPassword",
                    GatewayV1.SignUpWithPasswordRequest(
                        email: email(number), password: "Strange7Horse", device: Self.device))
            }
        }

        /// Signs in until every address is locked out.
        private func lockOut(_ kinds: [Likeness.Kind]) async throws {
            let isLocked = try await eventually {
                for kind in kinds {
                    for number in 0..<Resident.count {
                        let code = try kind.ask(number).response.error?.code
                        guard code == "auth/too-many-requests" else { return false }
                    }
                }
                return true
            }
            try #require(isLocked)
        }

        // MARK: where

        private func with(
            _ settings: [String: String] = [:],
            _ test: (Cluster, PlainCaller) async throws -> Void
        ) async throws {
            // In a folder of the test's own, which changes the file later.
            let limits = try folder.write(Self.generousLimits, to: "limits.yaml")
            let all = settings.merging(["POSTERN_LIMITS_FILE": limits]) { _, new in new }
            try await Cluster.with(environment: all) { cluster in
                let caller = try PlainCaller(cluster)
                try await knowsAlternatives(caller)
                try await test(cluster, caller)
            }
        }

        /// Waits until the gateway has asked identity what is switched on: an error of before has
        /// no alternatives, whatever it is about.
        private func knowsAlternatives(_ caller: PlainCaller) async throws {
            let isKnown = try await eventually {
                let answer = try caller.ask(
                    "ProviderNotices/DescribeProviderOutcome",
                    GatewayV1.DescribeProviderOutcomeRequest(
                        provider: "google", outcome: .cancelled))
                let outcome = try GatewayV1.DescribeProviderOutcomeResponse(
                    decoding: answer.response.payload)
                return outcome.alternatives.contains("password")
            }
            try #require(isKnown)
        }

        private func settlement(_ cluster: Cluster, _ caller: PlainCaller) -> Settlement {
            Settlement(cluster: cluster, caller: caller, folder: folder)
        }

        private static func phones(_ texts: HTTPSink) -> [String: String] {
            [
                "POSTERN_PHONE_COUNTRIES": "DE", "POSTERN_SMS_PROVIDERS": "webhook",
                "POSTERN_SMS_WEBHOOK_URL": texts.url("/sms"),
                "POSTERN_SMS_WEBHOOK_SECRET": String(repeating: "ab", count: 32),
                "POSTERN_PROVIDER_PLAINTEXT": "true",
            ]
        }
    }
}
