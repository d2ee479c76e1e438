import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("Limits")
    struct Limits {
        @Test("R-03: a stranger who uses up an account's attempts does not lock its owner out")
        func knownDevice() async throws {
            try await Cluster.with { cluster in
                let owner = Person(1)
                // B5: The device is known by the sign-up, without a sign-in.
                #expect(try await cluster.signUp(owner).exitCode == 0)
                var codes: [String?] = []
                for number in 0..<8 {
                    var request = owner.credentials("Wrong7Horse")
                    request["device"] = ["deviceId": "stranger-\(number)", "platform": "cli"]
                    let answer = try await cluster.auth(
                        "SignInWithPassword", request, from: Person(300 + number).address,
                        language: "de")
                    codes.append(answer.code)
                    guard number == 7 else { continue }
                    let refusal: ErrorAnswer = try answer.read()
                    #expect(
                        refusal.userMessage.hasPrefix("Zu viele Versuche. Bitte warte 1"),
                        "\(refusal.userMessage)")
                }
                #expect(codes.filter { $0 == "auth/invalid-credential" }.count == 5)
                #expect(codes.filter { $0 == "auth/too-many-requests" }.count == 3)
                #expect(try await cluster.signIn(owner).exitCode == 0)
                let metrics = try cluster.metrics("rate-limit", "/metrics")
                #expect(
                    metrics.contains(
                        "postern_limits_refused_total{limit=\"failed-sign-in-by-account\"} 3"))
            }
        }

        @Test("R-05: `postern limits` rotates the key of the subjects, and counts stay in force")
        func rotation() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                #expect(try await cluster.signUp(ada).exitCode == 0)
                // Another device than the one that signed up, which has its own lane.
                func signIn(_ password: String = Person.password) async throws -> Cluster.Answer {
                    var request = ada.credentials(password)
                    request["device"] = ["deviceId": "elsewhere", "platform": "cli"]
                    return try await cluster.auth("SignInWithPassword", request, from: ada.address)
                }
                for _ in 0..<5 { _ = try await signIn("Wrong7Horse") }
                let rotated = try await cluster.limits("rotate-key")
                #expect(rotated.exitCode == 0, "\(rotated.errors)")
                #expect(rotated.output.hasPrefix("1  current"), "\(rotated.output)")
                #expect(rotated.output.contains("0  former"))
                #expect(try await signIn().code == "auth/too-many-requests")
                try cluster.crash("rate-limit")
                let isBack = try await eventually {
                    try await cluster.limits("keys").output == rotated.output
                }
                #expect(isBack)
                #expect(try await signIn().code == "auth/too-many-requests")
                let peek = try await cluster.limits(
                    "peek", "failed-sign-in-by-account", ada.email)
                #expect(
                    peek.output == "limited by failed-sign-in-by-account for 15m\n",
                    "\(peek.output)\(peek.errors)")
                let all = try await cluster.limits("peek", ada.email)
                #expect(
                    all.output.contains("failed-sign-in-by-account  blocked  until 20"),
                    "\(all.output)\(all.errors)")
                #expect(all.output.contains("password-reset-by-email  free"))
                #expect(all.errors.contains("limits peek ADDRESS --device DEVICE"))
                for (limit, subject) in [
                    ("failed-sign-in-by-account", ada.email.uppercased()),
                    ("failed-sign-in-by-device", "\(ada.address)|elsewhere"),
                ] {
                    let reset = try await cluster.limits("reset", limit, subject)
                    #expect(reset.output == "forgotten\n", "\(reset.output)\(reset.errors)")
                    let again = try await cluster.limits("reset", limit, subject)
                    #expect(again.output == "nothing was counted\n", "\(again.errors)")
                }
                #expect(try await signIn().exitCode == 0)
                let list = try await cluster.limits("list").output
                #expect(list.contains("phone-code-guess  "), "\(list)")
            }
        }

        @Test("R-06: an operator changes a limit while the limiter runs, and resets a subject")
        func operating() async throws {
            let folder = try TemporaryFolder()
            let path = try folder.write("sign-up-by-address-count: 1\n", to: "limits.yaml")
            try await Cluster.with(environment: ["POSTERN_LIMITS_FILE": path]) { cluster in
                let (ada, bob) = (Person(1), Person(2))
                #expect(try await cluster.signUp(ada).exitCode == 0)
                func signUpBob() async throws -> String? {
                    try await cluster.auth(
                        "SignUpWithPassword", bob.credentials(), from: ada.address
                    ).code
                }
                #expect(try await signUpBob() == "auth/too-many-requests")
                let charges =
                    "{\"charges\": [{\"limit\": \"sign-up-by-address\", \"subject\": \"\(ada.address)\"}]}"
                let reset = try await cluster.call("postern.ratelimit.v1.Limits/Reset", charges)
                #expect(reset.exitCode == 0, "\(reset.errors)\(reset.json)")
                #expect(try await signUpBob() == nil)
                _ = try folder.write("sign-up-by-address-count: 5\n", to: "limits.yaml")
                let isChanged = try await eventually {
                    let peek = try await cluster.call("postern.ratelimit.v1.Limits/Peek", charges)
                    return peek.json.contains("\"remaining\": 3")
                }
                #expect(isChanged, "one of five is charged, and the peek counts one more")
            }
        }

        @Test("H1, M4: invented code requests are limited by client address, and lock no number")
        func inventedCodes() async throws {
            try await Cluster.with(environment: ["POSTERN_PHONE_COUNTRIES": "DE"]) { cluster in
                let stranger = Person(700)
                var codes: [String?] = []
                for number in 0..<52 {
                    let answer = try await cluster.call(
                        "postern.gateway.v1.PhoneSignIn/SignInWithPhoneCode",
                        """
                        {"requestId": "pcr_0000000000001", "phoneNumber": "+49151\(12_000_000 + number)",
                         "code": "000000", "device": {"deviceId": "d", "platform": "cli"}}
                        """, metadata: ["client-address": stranger.address])
                    codes.append(answer.code)
                }
                #expect(codes.prefix(50).allSatisfy { $0 == "auth/invalid-verification-code" })
                #expect(codes.suffix(2).allSatisfy { $0 == "auth/too-many-requests" })
                let peek = try await cluster.limits("peek", "phone-code-guess", "+4915112000000")
                #expect(!peek.output.contains("limited by"), "\(peek.output)\(peek.errors)")
            }
        }

        @Test("M3: one address may request 20 password resets an hour, for whatever emails")
        func resets() async throws {
            try await Cluster.with { cluster in
                var codes: [String?] = []
                for number in 0..<22 {
                    let answer = try await cluster.call(
                        "postern.gateway.v1.Passwords/RequestPasswordReset",
                        "{\"email\": \"invented\(number)@example.org\"}",
                        metadata: ["client-address": "2001:db8:1:\(number)::1"])
                    codes.append(answer.code)
                }
                #expect(codes.prefix(20).allSatisfy { $0 == nil })
                #expect(codes.suffix(2).allSatisfy { $0 == "auth/too-many-requests" })
            }
        }
    }
}
