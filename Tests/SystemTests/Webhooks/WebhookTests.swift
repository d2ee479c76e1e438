import Foundation
import HTTPSink
import TestSupport
import Testing

extension SystemTests {
    @Suite("Events to an operator's URL")
    struct Webhooks {
        @Test("A-01, A-03: a sign-up sends two signed events: the account's, then its session's")
        func signUp() async throws {
            let sink = try await HTTPSink { _ in .answer(200) }
            try await Cluster.with(environment: ["POSTERN_WEBHOOK_TARGETS": "any"]) { cluster in
                let added = try await cluster.tool([
                    "webhooks", "add", sink.url("/postern"), "--events", "account.*", "session.*",
                ])
                #expect(added.exitCode == 0, "\(added.output)\(added.errors)")
                #expect(added.output.contains("secret: whsec_"))
                // The first read finds the end of the feeds; events after that are sent.
                try await Task.sleep(for: .seconds(3))
                let account: SignedIn = try await cluster.signUp(Person(1)).read()
                let isNotified = try await eventually {
                    Self.kinds(sink).contains("session.started")
                }
                #expect(isNotified, "\(Self.kinds(sink))")
                let kinds = Self.kinds(sink)
                let registered = try #require(kinds.firstIndex(of: "account.registered"))
                let started = try #require(kinds.firstIndex(of: "session.started"))
                #expect(registered < started)
                #expect(sink.requests.allSatisfy { $0.text.contains(account.account.accountId) })
                #expect(sink.requests.allSatisfy { !$0.text.contains("@") })
                #expect(
                    sink.requests.allSatisfy {
                        $0.headers["webhook-signature"]?.hasPrefix("v1,") == true
                    })
                let isRecorded = try await eventually {
                    try await cluster.tool(["webhooks"]).output.contains("0 waiting")
                }
                #expect(isRecorded)
            }
            await sink.close()
        }

        @Test("by default a webhook cannot call an address in the operator's own network")
        func privateAddress() async throws {
            let sink = try await HTTPSink { _ in .answer(200) }
            try await Cluster.with { cluster in
                let plain = try await cluster.tool(["webhooks", "add", sink.url("/")])
                #expect(plain.exitCode == 1)
                #expect(plain.errors.contains("https"))
                let literal = try await cluster.tool(["webhooks", "add", sink.secureURL("/")])
                #expect(literal.exitCode == 1)
                #expect(literal.errors.contains("webhook-targets=any"))
                // A name is resolved at each delivery.
                let named = sink.secureURL("/").replacing("127.0.0.1", with: "localhost")
                let secure = try await cluster.tool(["webhooks", "add", named])
                #expect(secure.exitCode == 0)
                try await Task.sleep(for: .seconds(3))
                _ = try await cluster.signUp(Person(1))
                let isRefused = try await eventually {
                    try await cluster.tool(["webhooks"]).output.contains("last try:")
                }
                #expect(isRefused)
            }
            #expect(sink.connections == 0)
            await sink.close()
        }

        private static func kinds(_ sink: HTTPSink) -> [String] {
            sink.requests.map { request in
                request.text.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
            }
        }
    }
}
