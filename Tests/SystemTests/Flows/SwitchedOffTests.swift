import Contracts
import Messages
import RPC
import TestSupport
import Testing

extension SystemTests {
    @Suite("G-36: an installation without passwords and guests")
    struct SwitchedOff {
        private static let off = ["POSTERN_PASSWORD_SIGN_IN": "off", "POSTERN_GUESTS": "off"]
        private static let ada = Person(1)

        /// The response of GetSignInOptions, as far as it says what is there.
        private struct Options: Decodable {
            struct Password: Decodable {}

            let password: Password?
            let guests: Bool?
            let recoveryMethods: [String]?
        }

        /// What a call comes to.
        private enum Outcome: Equatable {
            case refused
            /// The reason why it is no way around.
            case another(_ reason: String)
        }

        private struct Row {
            let method: String
            let request: String
            var outcome = Outcome.refused
        }

        private static let both =
            "\"email\":\"\(ada.email)\",\"password\":\"\(Person.password)\""
        private static let device = "\"device\":{\"deviceId\":\"d1\"}"
        private static let token = String(repeating: "A", count: 43)

        /// All public methods that take a password or make a guest. `listed` compares them with the
        /// descriptors.
        private static let table = [
            Row(
                method: "Auth/SignUpWithPassword",
                request: "{\"email\":\"b@example.org\",\"password\":\"Correct7Horse\",\(device)}"),
            Row(
                method: "Auth/SignInWithPassword",
                request: "{\(both),\(device)}"),
            Row(
                method: "Auth/VerifyEmail",
                request: "{\"token\":\"\(token)\",\"password\":\"Correct7Horse\"}",
                outcome: .another("an invalid link: `SwitchedOffTests` of identity has a valid one")
            ),
            Row(
                method: "Passwords/RequestPasswordReset", request: "{\"email\":\"\(ada.email)\"}"),
            Row(
                method: "Passwords/ResetPassword",
                request: "{\"token\":\"\(token)\",\"password\":\"Another7Horse\",\(device)}"),
            Row(
                method: "Passwords/ChangePassword",
                request: "{\"currentPassword\":\"\(Person.password)\","
                    + "\"newPassword\":\"Another7Horse\",\(device)}"),
            Row(
                method: "SignInMethods/LinkPassword",
                request: "{\"password\":\"Another7Horse\",\(device)}"),
            Row(
                method: "AccountSessions/Reauthenticate",
                request: "{\"password\":\"\(Person.password)\",\(device)}"),
            Row(
                method: "SignInChallenges/CompleteSignIn",
                request: "{\"challenge\":\"\(token)\",\"password\":\"x\",\(device)}",
                outcome: .another("no challenge that was begun takes a password")),
            Row(
                method: "Emails/ConfirmEmailChange",
                request: "{\"token\":\"\(token)\",\"password\":\"\(Person.password)\"}",
                outcome: .another("an invalid link: `SwitchedOffTests` of identity has a valid one")
            ),
            Row(
                method: "Emails/ResendVerificationByPassword",
                request: "{\(both),\(device)}"),
            Row(
                method: "Emails/CorrectEmail",
                request: "{\(both),"
                    + "\"newEmail\":\"c@example.org\",\(device)}"),
            Row(
                method: "SignInOptions/CheckPassword", request: "{\"password\":\"Correct7Horse\"}",
                outcome: .another("it sets none")),
            Row(
                method: "BackendAccounts/CreateAccount", request: "{}",
                outcome: .another("a backend's token: `SwitchedOffTests` of identity")),
            Row(
                method: "BackendAccounts/ChangeAccount", request: "{}",
                outcome: .another("a backend's token: `SwitchedOffTests` of identity")),
            Row(method: "Guests/SignInAsGuest", request: "{\(device)}"),
        ]

        /// Methods that have no field for a password, and are about one all the same.
        private static let others: Set<String> = [
            "Passwords/RequestPasswordReset", "Guests/SignInAsGuest",
        ]

        @Test("G-36: the table has each public method whose request has a password")
        func listed() throws {
            let fields: Set<String> = ["password", "currentPassword", "newPassword"]
            var found = Self.others
            for service in ServiceDescription.ofGateway {
                let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
                for method in service.methods {
                    let input = try #require(schema.method(named: method.name)).input
                    guard input.fields.contains(where: { fields.contains($0.name) }) else {
                        continue
                    }
                    found.insert(
                        method.name.replacing("postern.gateway.v1.", with: ""))
                }
            }
            #expect(found.subtracting(Self.table.map(\.method)) == [])
            #expect(Set(Self.table.map(\.method)).subtracting(found) == [])
        }

        @Test("G-36: no screen shows passwords or guests, and no call works around")
        func off() async throws {
            let folder = try TemporaryFolder()
            var opened: Session?
            try await Cluster.with(folder) { cluster in
                let answer: SignedIn = try await cluster.signUp(Self.ada).read()
                opened = answer.session
            }
            let session = try #require(opened)
            try await Cluster.with(folder, environment: Self.off) { cluster in
                let options: Options = try await cluster.call(
                    "postern.gateway.v1.SignInOptions/GetSignInOptions", "{}"
                ).read()
                #expect(options.password == nil && options.guests != true)
                #expect(options.recoveryMethods ?? [] == [])
                for row in Self.table {
                    let answer = try await cluster.call(
                        "postern.gateway.v1.\(row.method)", row.request,
                        metadata: ["idempotency-key": "switched-off-\(row.method)"],
                        token: session.accessToken)
                    switch row.outcome {
                    case .refused:
                        #expect(
                            answer.code == "auth/operation-not-allowed",
                            "\(row.method): \(answer.json) \(answer.errors)")
                    case .another:
                        #expect(
                            !answer.json.contains("\"session\""), "\(row.method): \(answer.json)")
                    }
                }
                try await Self.named(cluster)
            }
        }

        /// Who has nothing else is named at the start and by the check of orphans; what was opened
        /// before goes on.
        private static func named(_ cluster: Cluster) async throws {
            let lines = try cluster.logLines().filter {
                $0.contains("identity.passwords.needed")
            }
            #expect(lines.count == 1 && lines.first?.contains("postern accounts orphans") == true)
            let isListed = try await eventually {
                let listed = try await cluster.tool([
                    "accounts", "orphans", "--kind", "account-without-way-in",
                ])
                return listed.output.contains("account-without-way-in  acc_")
            }
            #expect(isListed)
        }
    }
}
