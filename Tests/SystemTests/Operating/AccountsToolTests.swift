import Foundation
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Accounts for the operator, and languages of errors")
    struct AccountsTool {
        @Test("I-09: `postern accounts`: look up, suspend, restore, sign out, list")
        func accounts() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let session: Session = try await Self.session(cluster.signUp(ada))
                let found = try await cluster.tool(["accounts", "look-up", ada.email])
                #expect(found.output.contains("email          a…@example.org (not verified)"))
                #expect(found.output.contains("sessions       1\n"), "\(found.output)")
                let id = try #require(
                    found.output.split(separator: "\n").first?.split(separator: " ").last
                        .map(String.init))
                let shown = try await cluster.tool(["accounts", "look-up", id, "--show"])
                #expect(shown.output.contains(ada.email), "\(shown.output)\(shown.errors)")

                let stop = ["accounts", "suspend", id, "--reason", "spam", "--actor", "ann"]
                #expect(try await cluster.tool(stop).output == "suspended\n")
                #expect(try await cluster.tool(stop).output == "it was suspended already\n")
                let isOut = try await eventually {
                    try await cluster.state(session).authenticated != true
                }
                #expect(isOut, "its session has not ended")
                #expect(try await cluster.signIn(ada).code == "auth/user-disabled")
                let byEmail = ["accounts", "suspend", ada.email, "--reason", "spam"]
                #expect(
                    try await cluster.tool(byEmail).output == "it was suspended already\n")
                let trail = try await cluster.tool([
                    "audit", "list", "--account", ada.email, "--kind", "account.*", "-o", "json",
                ])
                #expect(trail.output.contains("\"account_id\":\"\(id)\""), "\(trail.errors)")
                #expect(trail.output.contains("\"actor\":\"tool/ann\""), "\(trail.output)")
                let table = try await cluster.tool(["accounts", "list", "-o", "text"])
                #expect(table.output.hasPrefix("ACCOUNT"), "\(table.output)\(table.errors)")
                let list = try await cluster.tool(["accounts", "list", "--status", "suspended"])
                #expect(list.output.hasPrefix("\(id)  suspended  made 20"), "\(list.output)")

                #expect(
                    try await cluster.tool(["accounts", "restore", ada.email]).output
                        == "restored\n")
                let again: Session = try await Self.session(cluster.signIn(ada))
                let out = try await cluster.tool(["accounts", "sign-out", id])
                #expect(out.output == "its sessions end within a second\n", "\(out.errors)")
                let isSignedOut = try await eventually {
                    try await cluster.state(again).authenticated != true
                }
                #expect(isSignedOut)
                let nobody = try await cluster.tool(["accounts", "look-up", "no@example.org"])
                #expect(nobody.exitCode == 1 && nobody.errors.contains("rpc/not-found"))
                #expect(nobody.errors.contains("no account has this email address"))
                let noTrail = try await cluster.tool(
                    ["audit", "list", "--account", "no@example.org"])
                #expect(noTrail.errors.contains("no account has this email address"))

                try await Self.unusedGuest(cluster)
                try await Self.orphan(cluster)

                // Permission for all methods does not include this one: it must be granted by name.
                let relayed = try await cluster.call(
                    "postern.gateway.v1.Admin/LookUpAccount", "{\"email\": \"\(ada.email)\"}")
                #expect(relayed.code == "rpc/permission-denied", "\(relayed.json)")
            }
        }

        /// I-04: an unused guest and the check of orphans, with all services.
        private static func unusedGuest(_ cluster: Cluster) async throws {
            struct SignedInGuest: Decodable {
                struct Account: Decodable { let accountId: String }
                let account: Account
            }
            let answer = try await cluster.call("postern.gateway.v1.Guests/SignInAsGuest", "{}")
            let guest: SignedInGuest = try answer.read()
            let id = guest.account.accountId
            let live = try await cluster.tool(["accounts", "guests"])
            #expect(live.exitCode == 0 && !live.output.contains(id), "\(live.errors)")
            _ = try await cluster.tool(["accounts", "sign-out", id])
            let isListed = try await eventually {
                let listed = try await cluster.tool(["accounts", "guests"])
                return listed.output.hasPrefix("\(id)  last seen 20")
                    && listed.output.contains("  will be deleted 20")
            }
            #expect(isListed)
            let isChecked = try await eventually {
                try await cluster.tool(["accounts", "orphans"]).output.hasPrefix("no orphans; ")
            }
            #expect(isChecked)
            let nothing = try await cluster.tool(
                ["accounts", "orphans", "repair", "session", id, "--yes"])
            #expect(nothing.output == "there was nothing to repair\n", "\(nothing.errors)")
        }

        /// I-04, D1: a session of an account that does not exist is found at identity's next start,
        /// counted, listed, and repaired by the operator only.
        private static func orphan(_ cluster: Cluster) async throws {
            let maker = try SessionMaker(cluster)
            defer { maker.close() }
            let account = maker.newAccount()
            let tokens = try await maker.open(of: account)
            try cluster.crash("identity")
            // Identity is away at first, and then has not checked.
            var listed = ""
            let isFound = try await eventually(within: .seconds(30)) {
                listed = try await cluster.tool(["accounts", "orphans"]).output
                return listed == "session  \(account.text)  at session\n"
            }
            #expect(isFound, "\(listed)")
            let gauge = "identity_orphans{kind=\"session\"}"
            #expect(try cluster.metrics("identity", "/metrics").contains("\(gauge) 1\n"))
            let found = try cluster.logLines().filter { $0.contains("identity.orphans.elsewhere") }
            #expect(found.count == 1, "\(found)")
            #expect(try await maker.isValid(tokens), "the check deletes nothing")
            let repair = ["accounts", "orphans", "repair", "session", account.text, "--yes"]
            let repaired = try await cluster.tool(repair)
            #expect(repaired.output == "repaired\n", "\(repaired.errors)")
            let isEnded = try await eventually { try await !maker.isValid(tokens) }
            #expect(isEnded)
            // The check that found it may still be under way.
            let isNoneLeft = try await eventually {
                listed = try await cluster.tool(["accounts", "orphans"]).output
                return listed.hasPrefix("no orphans; ")
            }
            #expect(isNoneLeft, "\(listed)")
            #expect(try cluster.metrics("identity", "/metrics").contains("\(gauge) 0\n"))
            #expect(try await cluster.tool(repair).output == "there was nothing to repair\n")
        }

        @Test("X-01: an error is in the language that the call asks for, with the catalogue's text")
        func languages() async throws {
            try await Cluster.with { cluster in
                let german = try await cluster.call(
                    "postern.gateway.v1.Auth/SignInWithPassword",
                    "{\"email\": \"nobody@example.org\", \"password\": \"Wrong7Horse\"}",
                    metadata: ["accept-language": "it, de-CH;q=0.9, en;q=0.5"])
                let refusal: ErrorAnswer = try german.read()
                #expect(
                    refusal.userMessage == "Die E-Mail-Adresse oder das Passwort stimmt nicht.")
                let listed = try await cluster.postern(["errors", "--json", "--language", "de"])
                let entries = try JSONDecoder().decode(
                    [Entry].self, from: Data(listed.output.utf8))
                let entry = entries.first { $0.code == "auth/invalid-credential" }
                #expect(entry?.userMessage == refusal.userMessage)
                #expect(entry?.action == refusal.action)
            }
        }

        /// A line of `postern errors --json`.
        private struct Entry: Decodable {
            let code: String
            let action: String
            let userMessage: String
        }

        private static func session(_ answer: Cluster.Answer) throws -> Session {
            let read: SignedIn = try answer.read()
            return read.session
        }
    }
}
