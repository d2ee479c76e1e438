import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("What an operator and a developer mistype")
    struct Mistakes {
        @Test("a command, a file and a method that are misspelt get what was meant")
        func meant() async throws {
            try await Cluster.with { cluster in
                let lookUp = try await cluster.tool(["accounts", "lookup", "ada@example.org"])
                #expect(lookUp.exitCode == 64, "\(lookUp.output)")
                #expect(lookUp.errors.contains("did you mean `postern accounts look-up`?"))

                let folder = try TemporaryFolder()
                let export = try folder.write(#"{"users": [{"localId": "1"}]}"#, to: "users.json")
                let lines = try await cluster.tool(["import", "jsonl", export])
                #expect(lines.exitCode == 1, "\(lines.output)")
                #expect(lines.errors.contains("did you mean `postern import firebase \(export)"))

                let up = try await cluster.call("Auth/SignUp", "{}")
                #expect(up.exitCode == 1)
                let method = "postern.gateway.v1.Auth/SignUpWithPassword"
                #expect(up.errors.contains("did you mean \(method)?"), "\(up.errors)")
            }
        }

        @Test("a path that is no method gets the nearest ones, and a wrong enum its values")
        func byHTTP() async throws {
            try await Cluster.with { cluster in
                let web = try WebClient(cluster)
                func post(_ path: String, _ json: String) async throws -> WebClient.Response {
                    try await web.curl(
                        path,
                        [
                            "--header", "content-type: application/json",
                            "--header", "x-postern-app: \(web.appKey)", "--data", json,
                        ])
                }
                let signIn = try await post("/postern.gateway.v1.Auth/SignIn", "{}")
                #expect(signIn.status == 404)
                #expect(
                    signIn.body.contains(
                        "Did you mean /postern.gateway.v1.Auth/SignInWithPassword or "),
                    "\(signIn.body)")
                let method = "postern.gateway.v1.PhoneSignIn/RequestPhoneCode"
                let wrong = try await post("/\(method)", #"{"purpose": "LINK"}"#)
                #expect(wrong.status == 400)
                #expect(wrong.body.contains("PHONE_CODE_PURPOSE_LINK"), "\(wrong.body)")
                let called = try await cluster.call(method, #"{"purpose": "LINK"}"#)
                #expect(called.exitCode == 1)
                #expect(called.errors.contains("PHONE_CODE_PURPOSE_LINK"), "\(called.errors)")
            }
        }

        @Test("R-03: a site from which twenty established accounts sign in has sixty sign-ups")
        func sharedSite() async throws {
            try await Cluster.with { cluster in
                let address = Person(1).address
                for number in 0..<20 {
                    let reported = try await cluster.call(
                        "postern.ratelimit.v1.Limits/Succeed",
                        """
                        {"charges": [{"limit": "failed-sign-in-by-address", "subject": "\(address)"}],
                         "established": {"accountId": "acc_\(number)", "clientAddress": "\(address)"}}
                        """)
                    #expect(reported.exitCode == 0, "\(reported.errors)")
                }
                for number in 2..<8 {
                    let answer = try await cluster.auth(
                        "SignUpWithPassword", Person(number).credentials(), from: address)
                    #expect(answer.exitCode == 0, "\(answer.errors)")
                }
                let peek = try await cluster.limits("peek", address)
                #expect(
                    peek.output.contains("sign-up-by-address  free  53 more"), "\(peek.output)")
            }
        }
    }
}
