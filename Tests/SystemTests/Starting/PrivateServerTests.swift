import Foundation
import Glibc
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("postern up --store private")
    struct OnPrivateServer {
        private static let option = ["--store", "private"]
        private let folder: TemporaryFolder
        private let ada = Person(1)

        init() throws {
            folder = try TemporaryFolder()
            // Where this process is root's, the server's user has to pass through.
            chmod(folder.path, 0o711)
        }

        @Test("all services keep their stores there, over a restart, and a copy that was put back")
        func life() async throws {
            var session: Session?
            try await Cluster.with(folder, options: Self.option) { cluster in
                session = try await signUp(cluster)
                #expect(try await cluster.status().exitCode == 0)
                try await expectNoBackup(cluster)
            }
            let files = try FileManager.default.contentsOfDirectory(
                atPath: folder.file("data/data"))
            #expect(!files.contains { $0.hasSuffix(".sqlite") }, "\(files)")
            try await expectNeedsOption()

            try await Cluster.with(folder, options: Self.option) { cluster in
                let answer = try await cluster.refresh(try #require(session))
                session = try answer.read(Refreshed.self).session
            }
            let marked = try await ProgramRun.run(
                "postern", ["store", "restored", "--data", folder.file("data")] + Self.option)
            #expect(marked.exitCode == 0, "\(marked.errors)")
            #expect(marked.output.split(separator: "\n").count == 4, "\(marked.output)")

            try await Cluster.with(folder, options: Self.option) { cluster in
                // As after a restore.
                let state = try await cluster.state(try #require(session))
                #expect(state.authenticated == nil)
                try await delete(cluster)
            }
        }

        /// Everything that a person does: sign-up, mail, sign-in, refresh, photo, export.
        private func signUp(_ cluster: Cluster) async throws -> Session {
            let first: SignedIn = try await cluster.signUp(ada).read()
            let verified = try await cluster.auth(
                "VerifyEmail", ["token": try await cluster.mailedToken(to: ada.email)],
                in: first.session)
            #expect(verified.exitCode == 0, "\(verified.errors)")
            let signedIn: SignedIn = try await cluster.signIn(ada).read()
            let refreshed: Refreshed = try await cluster.refresh(signedIn.session).read()
            let session = refreshed.session
            #expect(try await cluster.state(session).authenticated == true)
            try await photograph(session, cluster)
            try await export(session, cluster)
            return session
        }

        private func photograph(_ session: Session, _ cluster: Cluster) async throws {
            let client = try cluster.client(of: "gateway", as: "app")
            defer { client.close() }
            var metadata = Metadata()
            metadata[Metadata.Key.authorization] = "Bearer \(session.accessToken)"
            let context = client.context(timeout: .seconds(20), metadata: metadata)
            let web = try WebClient(cluster)
            let uploaded = try await web.putPhoto(TestPhoto.jpeg(), context)
            #expect(uploaded.status == 200, "\(uploaded.body)")
            let url = try uploaded.read(WebClient.UploadedPhoto.self).url
            let photo = try await web.photo(url, context)
            #expect(photo.status == 200)
            #expect(!photo.bytes.isEmpty)
        }

        private func export(_ session: Session, _ cluster: Cluster) async throws {
            func call(_ method: String) async throws -> Cluster.Answer {
                try await cluster.call(
                    "postern.gateway.v1.DataExports/\(method)", "{}", token: session.accessToken)
            }
            let ordered = try await call("RequestDataExport")
            #expect(ordered.exitCode == 0, "\(ordered.errors)")
            let isReady = try await eventually(within: .seconds(30)) {
                try await call("GetDataExport").json.contains("DATA_EXPORT_STATE_READY")
            }
            #expect(isReady)
            // A deletion would wait while there is one.
            let cancelled = try await call("CancelDataExport")
            #expect(cancelled.json.contains("true"), "\(cancelled.json)")
        }

        private func delete(_ cluster: Cluster) async throws {
            struct Preview: Decodable {
                let confirmationToken: String
            }
            let signedIn: SignedIn = try await cluster.signIn(ada).read()
            func call(_ method: String, _ json: String) async throws -> Cluster.Answer {
                try await cluster.call(
                    "postern.gateway.v1.AccountDeletion/\(method)", json,
                    token: signedIn.session.accessToken)
            }
            let preview: Preview = try await call("PreviewDeletion", "{}").read()
            let deleted = try await call(
                "RequestDeletion", #"{"confirmationToken":"\#(preview.confirmationToken)"}"#)
            #expect(deleted.exitCode == 0, "\(deleted.errors)")
            let isGone = try await eventually(within: .seconds(30)) {
                try await cluster.state(signedIn.session).reason
                    == "AUTH_STATE_REASON_ACCOUNT_DELETED"
            }
            #expect(isGone)
        }

        private func expectNoBackup(_ cluster: Cluster) async throws {
            let key = try await ProgramRun.run(
                "postern", ["backup", "key", folder.file("backup-key.txt")])
            let recipient = key.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let run = try await cluster.tool(
                ["backup", "--recipient", recipient, "--to", folder.path])
            #expect(run.exitCode == 1)
            #expect(run.errors.contains("with pg_dump"), "\(run.errors)")
        }

        private func expectNeedsOption() async throws {
            let run = try await ProgramRun.run(
                "postern", ["up", "--data", folder.file("data"), "--port-base", "0"],
                limit: .seconds(30))
            #expect(run.exitCode == 1)
            #expect(run.errors.contains("add --store private"), "\(run.errors)")
        }

        @Test("a server that can lose commits is refused, and postern status has the line to set")
        func refused() async throws {
            try await Cluster.with(folder, options: Self.option) { _ in }
            let settings = folder.file("data/postgresql/data/postgresql.auto.conf")
            let file = try FileHandle(forWritingTo: URL(filePath: settings))
            try file.seekToEnd()
            try file.write(contentsOf: Data("fsync = off\n".utf8))
            try file.close()
            let run = try await ProgramRun.run(
                "postern", ["up", "--data", folder.file("data"), "--port-base", "0"] + Self.option,
                limit: .seconds(30))
            #expect(run.exitCode == 1)
            #expect(run.errors.contains("set fsync = on in postgresql.conf"), "\(run.errors)")
            let status = try await ProgramRun.run(
                "postern", ["status", "--endpoints", folder.file("data/endpoints.json")])
            #expect(status.output.contains("set fsync = on in postgresql.conf"), "\(status.output)")
        }
    }
}
