import Contracts
import Cryptography
import JSON
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("I-07: documents by an app's backend, and from other sessions")
    struct OthersDocuments {
        private let fixture: StoryFixture
        private let web: WebClient

        init() throws {
            fixture = try #require(StoryFixture.current)
            web = try WebClient(fixture.cluster)
        }

        private func app(_ number: Int) async throws -> (app: SignedInApp, account: String) {
            let ada = Person(number)
            let signedUp = try await fixture.signUp(ada)
            let account = try #require(signedUp.account?.accountId)
            return (SignedInApp(fixture, ada, signedUp.session), account)
        }

        @Test("I-07: a named backend writes and reads a person's documents by tokens of its key")
        func backend() async throws {
            let (app, account) = try await app(34_001)
            let shop = try await ShopBackend(fixture.cluster)
            defer { shop.close() }
            try await app.write("profile", OnboardingAnswers.profile)
            #expect(try await app.read("profile").content["plan"] == .string("free"))
            let own = try await refusal {
                try await app.write("profile", #"{"plan":"plus"}"#, merge: true)
            }
            #expect(own.code == .invalidDocument)
            #expect(own.violations.map(\.rule) == [DocumentViolation.serverOnly.rawValue])
            for _ in 0..<2 {
                let version = try await shop.merge(
                    account, "profile", #"{"plan":"plus"}"#, key: "order-1")
                #expect(version == 2, "a repeat gets the first answer")
            }
            let paid = try await app.read("profile")
            #expect(paid.content["plan"] == .string("plus"))
            #expect(paid.content["name"] == .string(OnboardingAnswers.name))
            #expect(try await shop.read(account, "profile") == paid.document.json)
            let trail = try await fixture.cluster.tool(
                ["audit", "list", "--account", account, "-o", "json"])
            #expect(trail.output.contains("document.written-by-backend"), "\(trail)")
        }

        @Test(
            "I-07: a token for another document, and an application without the setting, are refused"
        )
        func refused() async throws {
            let (app, account) = try await app(34_002)
            let shop = try await ShopBackend(fixture.cluster)
            defer { shop.close() }
            let other = #"{"theme":"plain"}"#
            let replayed = try await refusal {
                try await shop.merge(
                    account, "settings", #"{"theme":"gold"}"#, key: "order-2", signing: other)
            }
            #expect(replayed.code == .unauthenticated)
            // The app's own key may not call it at all.
            let unnamed = try await refusal {
                try await fixture.backend.backendDocuments.readAccountDocument(
                    .init(call: .init(accountId: account), collection: "settings", name: "main"),
                    fixture.backend.context(app.person))
            }
            #expect(unnamed.code == .permissionDenied)
            #expect(try await refusal { try await app.read("settings") }.code == .notFound)
        }

        @Test("I-07: another session sees no document and no photo of a person")
        func otherSession() async throws {
            let (ada, _) = try await app(34_003)
            let (eve, _) = try await app(34_903)
            try await ada.write("settings", #"{"theme":"dark"}"#)
            let uploaded = try await web.putPhoto(TestPhoto.jpeg(seed: 34), ada.context())
            let photo: WebClient.UploadedPhoto = try uploaded.read()
            #expect(try await refusal { try await eve.read("settings") }.code == .notFound)
            let list = try await fixture.backend.documents.listDocuments(.init(), eve.context())
            #expect(list.documents.isEmpty)
            #expect(try await web.photo(photo.url, eve.context()).status == 404)
            let nobody = fixture.backend.context(eve.person)
            #expect(try await web.photo(photo.url, nobody).status == 404)
            let signedOut = try await refusal {
                try await fixture.backend.documents.readDocument(
                    .init(collection: "settings", name: "main"), nobody)
            }
            #expect(signedOut.code == .invalidAccessToken)
            try await eve.write("settings", #"{"theme":"pink"}"#)
            #expect(try await ada.read("settings").content["theme"] == .string("dark"))
        }
    }
}

/// The backend that may write documents of any account, with a key of its own.
private struct ShopBackend {
    private static let service = "postern.gateway.v1.BackendDocuments"

    /// The web service's origin, which identity's setting `web-origins` has too.
    private let audience: String
    private let client: RPCClient
    private let key: Ed25519SigningKey
    private let keyID: String

    /// Adds the application to the cluster, if it is not there.
    init(_ cluster: Cluster) async throws {
        audience = try WebClient(cluster).url
        let name = SharedProfileFixture.writer
        let folder = "\(cluster.data)/keys/applications"
        let file = "\(folder)/\(name).k1.key"
        if (try? ApplicationKey(file: file)) == nil {  // it does not exist yet
            let added = try await cluster.postern([
                "applications", "add", name, "--server", "gateway", "--server", "identity",
                "--method", "\(Self.service)/*", "--data", cluster.data,
            ])
            guard added.exitCode == 0 else { throw ClusterError(message: "\(added)") }
        }
        let own = try ApplicationKey(file: file)
        guard let key = own.key as? Ed25519SigningKey else {
            throw ClusterError(message: "no key of \(name)")
        }
        (self.key, keyID) = (key, own.keyID)
        client = try cluster.client(of: "gateway", as: name)
    }

    func close() { client.close() }

    /// Merges fields into a document, as soon as both servers know the key.
    /// - Parameter other: the JSON that the token is for; nil for the one that is written.
    func merge(
        _ account: String, _ collection: String, _ json: String, key: String,
        signing other: String? = nil
    ) async throws -> Int64 {
        let parts = [collection, "main", "", "merge", other ?? json]
        let call = try call("WriteAccountDocuments", account, parts, key: key)
        let request = GatewayV1.WriteAccountDocumentsRequest(
            call: call,
            writes: [.init(collection: collection, name: "main", json: json, merge: true)])
        let answer = try await known {
            var context = context
            context.metadata[Metadata.Key.idempotencyKey] = key
            return try await BackendDocumentsClient(client).writeAccountDocuments(request, context)
        }
        return answer.written.first?.version ?? 0
    }

    /// The JSON of a document.
    func read(_ account: String, _ collection: String) async throws -> String {
        let call = try call("ReadAccountDocument", account, [collection, "main", "", "", ""])
        return try await BackendDocumentsClient(client).readAccountDocument(
            .init(call: call, collection: collection, name: "main"), context
        ).document?.json ?? ""
    }

    private var context: CallContext { client.context(timeout: .seconds(3)) }

    private func call(
        _ method: String, _ account: String, _ parts: [String], key idempotencyKey: String? = nil
    ) throws -> GatewayV1.BackendCall {
        let token = try DocumentToken.sign(
            method, [DocumentToken.label, account, "billing-job"] + parts,
            idempotencyKey: idempotencyKey, audience: audience, at: SystemTime().now(),
            by: SharedProfileFixture.writer, key: key, keyID: keyID)
        return .init(
            accountId: account, applicationToken: SecretBytes(text: token), actor: "billing-job")
    }

    /// Repeats a call until the servers have read the new key.
    private func known<Value>(_ call: () async throws -> Value) async throws -> Value {
        var (value, last): (Value?, any Error) = (nil, ClusterError(message: "no call"))
        let isKnown = try await eventually(within: .seconds(30)) {
            do {
                value = try await call()
                return true
            } catch let error as ServiceError {
                last = error
                // A token that is not for this request stays refused.
                return error.violations.contains { $0.rule == "body" }
            }
        }
        guard isKnown, let value else { throw last }
        return value
    }
}
