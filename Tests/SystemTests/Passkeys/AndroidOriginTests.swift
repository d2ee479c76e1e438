import Cryptography
import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// Apps on Android, each with an authenticator of its own: `Tests/Interop/authenticator.py`.
    @Suite("Passkeys of apps on Android, by curl")
    struct AndroidOrigins {
        private static let authenticator = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Interop/authenticator.py").path
        private static let prefix = "android:apk-key-hash:"
        private static let listed = SHA256.hash("the app's certificate".utf8)
        private static let other = SHA256.hash("the certificate of the app for tablets".utf8)
        private static let strangers = SHA256.hash("a certificate of a stranger".utf8)

        private static func origin(_ hash: [UInt8]) -> String { prefix + Base64URL.encode(hash) }

        /// As Play Console shows it.
        private static func shown(_ hash: [UInt8]) -> String {
            hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
                .joined(separator: ":")
        }

        @Test("F-01: an app whose origin is listed signs in, in both forms; another does not")
        func origins() async throws {
            let settings = [
                "POSTERN_PASSKEY_RP_ID": "example.org",
                "POSTERN_PASSKEY_ORIGINS":
                    "https://example.org,\(Self.origin(Self.listed)),\(Self.shown(Self.other))",
            ]
            try await Cluster.with(environment: settings) { cluster in
                let app = try AndroidApp(cluster, Self.authenticator)
                let ada: SignedIn = try await app.web.auth(
                    "SignUpWithPassword", Person(1).credentials(), key: app.web.appKey
                ).read()
                let stranger = try AndroidApp(cluster, Self.authenticator)
                let refused = try await stranger.add(
                    from: Self.origin(Self.strangers), in: ada.session)
                #expect(refused.body.contains("auth/invalid-passkey"), "\(refused.body)")
                let added = try await app.add(from: Self.origin(Self.listed), in: ada.session)
                #expect(added.status == 200, "\(added.body)")

                for origin in [Self.listed, Self.other].map(Self.origin) + ["https://example.org"] {
                    let answer = try await app.signIn(from: origin)
                    #expect(answer.status == 200, "\(origin): \(answer.body)")
                    let signedIn: SignedIn = try answer.read()
                    #expect(signedIn.account.accountId == ada.account.accountId)
                }
                let listed = Self.origin(Self.listed)
                for origin in [
                    Self.origin(Self.strangers), listed + "=", listed.uppercased(),
                    String(listed.dropLast()), listed + "/", "https://\(listed)", Self.prefix,
                    Self.shown(Self.other), "https://example.org.evil.test", "null",
                ] {
                    let answer = try await app.signIn(from: origin)
                    #expect(answer.status >= 400, "\(origin): \(answer.body)")
                    #expect(answer.body.contains("auth/invalid-passkey"), "\(origin)")
                }
                let lines = try cluster.logLines().filter {
                    $0.contains("identity.passkey.refused")
                }
                #expect(!lines.isEmpty)
                #expect(lines.allSatisfy { $0.contains("\"origin\"") }, "\(lines)")
            }
        }
    }
}

/// An app on a device with one passkey, which calls by `curl`.
private struct AndroidApp {
    let web: WebClient
    private let authenticator: String
    private let folder: TemporaryFolder

    init(_ cluster: Cluster, _ authenticator: String) throws {
        web = try WebClient(cluster)
        self.authenticator = authenticator
        folder = try TemporaryFolder()
        // Where the authenticator keeps its passkey.
        try FileManager.default.createDirectory(
            atPath: folder.file(".postern"), withIntermediateDirectories: true)
    }

    /// Makes a passkey, and adds it in a session.
    func add(from origin: String, in session: Session) async throws -> WebClient.Response {
        let options = try await call("BeginPasskeyAdd", "{}", in: session)
        return try await call(
            "AddPasskey", Self.request(try await respond(to: options, from: origin)), in: session)
    }

    /// Signs in with the passkey.
    func signIn(from origin: String) async throws -> WebClient.Response {
        let options = try await call("BeginPasskeySignIn", "{}")
        return try await call(
            "SignInWithPasskey", Self.request(try await respond(to: options, from: origin)))
    }

    private static func request(_ credential: String) -> String {
        #"{"credential":\#(credential),"device":{"deviceId":"phone"}}"#
    }

    /// What the device answers to options.
    private func respond(
        to options: WebClient.Response, from origin: String
    ) async throws -> String {
        let run = try await ProgramRun.run(
            path: "/usr/bin/env", ["python3", authenticator, origin], input: options.body,
            in: folder.path, limit: .seconds(30))
        guard run.exitCode == 0 else {
            throw ClusterError(message: "\(authenticator): \(run.errors) \(options.body)")
        }
        return run.output
    }

    private func call(
        _ method: String, _ request: String, in session: Session? = nil
    ) async throws -> WebClient.Response {
        var fields = ["content-type: application/json", "x-postern-app: \(web.appKey)"]
        if let session { fields.append("authorization: Bearer \(session.accessToken)") }
        return try await web.curl(
            "/postern.gateway.v1.Passkeys/\(method)",
            fields.flatMap { ["--header", $0] } + ["--data", request])
    }
}
