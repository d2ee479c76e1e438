import Cryptography
import Foundation
import Glibc
import RPC
import TestSupport
import Testing

extension SystemTests {
    @Suite("Keys between programs")
    struct KeysBetweenPrograms {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .path
        private static let applications = BuiltPrograms.services + ["web", "app", "tool"]

        /// The services that each program calls, which therefore accept its calls.
        private static let calls = [
            "gateway": ["identity", "session", "rate-limit"],
            "identity": ["session", "notification", "rate-limit"],
            "session": ["identity"],
            "rate-limit": [],
            "notification": ["identity", "session", "rate-limit"],
            "web": ["gateway"],
            "tool": BuiltPrograms.services,
        ]

        @Test(
            "H3: the files of one container do not authenticate it as another application",
            arguments: [false, true])
        func impostor(isOfCompose: Bool) async throws {
            let folder = try TemporaryFolder()
            if isOfCompose { try secrets(folder.file("data")) }
            try await Cluster.with(folder) { cluster in
                var refused = 0
                for (holder, peers) in Self.calls {
                    let keys = try held(by: holder, cluster)
                    for service in BuiltPrograms.services {
                        for application in Self.applications where application != holder {
                            for key in keys {
                                let caller = try PlainCaller(
                                    cluster, service: service, application: application,
                                    keyID: isOfCompose ? "1" : "k1", key: key)
                                let isBelieved = try caller.isBelieved()
                                #expect(!isBelieved, "\(holder) as \(application) at \(service)")
                                refused += 1
                            }
                        }
                    }
                    for service in peers {
                        // The first of its keys is its own.
                        let caller = try PlainCaller(
                            cluster, service: service, application: holder,
                            keyID: isOfCompose ? "1" : "k1", key: #require(keys.first))
                        #expect(try caller.isBelieved(), "\(holder) at \(service)")
                    }
                }
                #expect(refused > 500)
                #expect(try await cluster.signUp(Person(1)).exitCode == 0)
            }
        }

        /// Everything that a holder's files can be used as: its private key, then each public key
        /// as a shared secret and as a private key.
        private func held(by holder: String, _ cluster: Cluster) throws -> [any ApplicationProver] {
            let folder = holder == "tool" ? "applications" : holder
            let files = try FileManager.default
                .contentsOfDirectory(atPath: "\(cluster.data)/keys/\(folder)")
                .filter { holder != "tool" || $0.hasPrefix("tool.") }.sorted()
                .map { "\(cluster.data)/keys/\(folder)/\($0)" }
            let own = files.filter { $0.hasSuffix(".key") }
            #expect(own.count == (holder == "rate-limit" ? 0 : 1), "\(own)")
            let publicHalves = try files.filter { $0.hasSuffix(".pub") }.map {
                SecretBytes(copying: try Ed25519VerifyingKey(file: $0).bytes)
            }
            return try own.map { try ApplicationKey(file: $0).key }
                + publicHalves.map { KeyedHash(key: $0) }
                + publicHalves.map { try Ed25519SigningKey(seed: $0) }
        }

        @Test(
            "H3: compose mounts one key folder for each service; egress networks have one member")
        func compose() throws {
            let text = try String(
                contentsOfFile: "\(Self.root)/docker/compose/compose.yaml", encoding: .utf8)
            let mounts = text.split(separator: "\n").filter { $0.contains("/compose/keys/") }
            let programs = BuiltPrograms.services + ["web"]
            #expect(mounts.count == programs.count + 1)
            for service in programs {
                let own = "../../.postern/compose/keys/\(service):/run/secrets/applications:ro"
                #expect(mounts.count { $0.contains(own) } == 1, "\(service)")
            }
            let toolKey = "keys/applications/${POSTERN_TOOL_KEY:-tool.1.key}\"}"
            #expect(mounts.count { $0.contains(toolKey) } == 1)
            let endpoints = try String(
                contentsOfFile: "\(Self.root)/docker/compose/endpoints.json", encoding: .utf8)
            #expect(!endpoints.contains(".key"), "a rotation would make it wrong")
            for service in ["identity", "notification"] {
                #expect(text.contains("POSTERN_LISTEN_HOST: \(service)-inside\n"))
                #expect(text.contains("POSTERN_METRICS_HOST: \(service)-inside\n"))
                #expect(text.components(separatedBy: "\(service)-egress").count == 3)
            }
            // Who is on a network: its lines are the members', and its own below `networks:`.
            let members = { (network: String) in
                text.split(separator: "\n").count { line in
                    line.hasPrefix("      \(network):")
                        || line.hasPrefix("    networks: [") && line.contains(network)
                }
            }
            #expect(members("outside") == 1, "only the gateway")
            #expect(members("web-outside") == 1, "only the web service")
            #expect(members("web-inside") == 3, "the gateway, the web service and the tool")
            let others = ["backup", "siem", "tool"]
            #expect(
                text.components(separatedBy: "mem_limit: ").count - 1
                    == programs.count + others.count)
        }

        @Test("H3: backend.sh copies a backend's own key, and refuses the tool's")
        func backend() throws {
            let folder = try TemporaryFolder()
            let (compose, own) = (folder.file("compose"), folder.file("backend"))
            try secrets(compose)
            let run = try script("backend.sh", ["app", own, compose])
            #expect(run.exitCode == 0, "\(run.said)")
            let files = try FileManager.default.contentsOfDirectory(atPath: own).sorted()
            #expect(files == ["app.1.key", "endpoints.json"])
            #expect(try ApplicationKey(file: "\(own)/app.1.key").application == "app")
            let endpoints = try String(contentsOfFile: "\(own)/endpoints.json", encoding: .utf8)
            #expect(endpoints.contains("{\"id\": \"app\", \"secret_file\": \"app.1.key\"}"))
            #expect(try script("backend.sh", ["tool", own, compose]).exitCode == 1)
        }

        @Test(
            "H3: keys shared by the previous version: services get new ones, app's key can rotate")
        func upgrade() async throws {
            let folder = try TemporaryFolder()
            let applications = folder.file("data/keys/applications")
            try FileManager.default.createDirectory(
                atPath: applications, withIntermediateDirectories: true)
            for name in ["app", "tool", "gateway", "identity", "session", "notification"] {
                try SecretFile.create(
                    "\(applications)/\(name).k1.key",
                    .generate(count: 32, randomness: KeyRandomness()))
            }
            try await Cluster.with(folder) { cluster in
                let left = try FileManager.default.contentsOfDirectory(atPath: applications)
                #expect(left.sorted() == ["app.k1.key", "tool.k1.key"])
                for name in ["app", "tool", "gateway", "identity", "session", "notification"] {
                    let key = try ApplicationKey(file: cluster.key(of: name))
                    #expect(key.isShared == (name == "app"), "\(name)")
                }
                #expect(cluster.output.contains("postern applications rotate app"))
                #expect(log(cluster, "gateway").contains("application_keys.shared"))
                #expect(try await cluster.signUp(Person(1)).exitCode == 0)
                #expect(try await cluster.status().exitCode == 0)

                #expect(try await applicationsTool(cluster, ["rotate", "app"]).exitCode == 0)
                let removal = try await applicationsTool(
                    cluster, ["remove", "app", "--key", "k1", "--yes"])
                #expect(removal.exitCode == 0, "\(removal.errors)")
                // The gateway reads its folder every two seconds; endpoints.json names the new key.
                let isBack = try await eventually(within: .seconds(10)) {
                    try await cluster.signIn(Person(1)).exitCode == 0
                }
                #expect(isBack)
            }
            try await Cluster.with(folder) { cluster in
                #expect(!cluster.output.contains("applications rotate"))
                let signedIn = try await cluster.signIn(Person(1))
                #expect(signedIn.exitCode == 0)
            }
        }

        @Test("H3: an application is added to a running system, rotated and removed")
        func lifeOfApplication() async throws {
            try await Cluster.with { cluster in
                let added = try await applicationsTool(
                    cluster, ["add", "shop", "--client-address"])
                #expect(added.exitCode == 0, "\(added.errors)")
                let file = "\(cluster.data)/keys/applications/shop.k1.key"
                #expect(added.output == "made \(file)\n")
                func becomes(_ isBelieved: Bool, _ file: String) async throws -> Bool {
                    let key = try ApplicationKey(file: file)
                    return try await eventually {
                        let caller = try PlainCaller(
                            cluster, service: "gateway", application: "shop", keyID: key.keyID,
                            key: key.key)
                        return try caller.isBelieved() == isBelieved
                    }
                }
                #expect(try await becomes(true, file))
                let second = "\(cluster.data)/keys/applications/shop.k2.key"
                #expect(try await applicationsTool(cluster, ["rotate", "shop"]).exitCode == 0)
                #expect(try await becomes(true, second))
                #expect(try await becomes(true, file))
                let listed = try await applicationsTool(cluster, ["list"]).output
                #expect(listed.contains("shop  k2  Ed25519  known to gateway  \(second)\n"))
                let copy = cluster.data + "/shop.k2.key"
                try FileManager.default.copyItem(atPath: second, toPath: copy)
                let asked = try await applicationsTool(cluster, ["remove", "shop"])
                #expect(asked.exitCode == 1 && asked.errors.contains("--yes"))
                let removed = try await applicationsTool(cluster, ["remove", "shop", "--yes"])
                #expect(removed.exitCode == 0)
                #expect(try await becomes(false, copy))
                // The applications that Postern needs cannot be removed.
                let refused = try await applicationsTool(cluster, ["remove", "identity"])
                #expect(refused.exitCode == 1)
                #expect(refused.errors.contains("postern applications rotate identity"))
            }
        }

        @Test("H3: openssl reads the keys that Postern makes")
        func openssl() async throws {
            try await Cluster.with { cluster in
                let read = try await ProgramRun.run(
                    path: "/usr/bin/env",
                    ["openssl", "pkey", "-in", cluster.key(of: "tool"), "-pubout"],
                    limit: .seconds(10))
                let publicHalf = try String(
                    contentsOfFile: "\(cluster.data)/keys/session/tool.k1.pub", encoding: .utf8)
                #expect(read.output == publicHalf)
            }
        }

        private func applicationsTool(
            _ cluster: Cluster, _ arguments: [String]
        ) async throws -> ProgramRun {
            try await cluster.postern(["applications"] + arguments + ["--data", cluster.data])
        }

        private func secrets(_ folder: String) throws {
            let run = try script("secrets.sh", [folder])
            #expect(run.exitCode == 0, "\(run.said)")
        }

        /// Runs a script of `docker/compose`.
        private func script(_ name: String, _ arguments: [String]) throws -> SystemCommand {
            try SystemCommand(
                "bash", ["\(Self.root)/docker/compose/\(name)"] + arguments, withErrors: true)
        }

        private func log(_ cluster: Cluster, _ service: String) -> String {
            // A missing log counts as empty.
            (try? String(
                contentsOfFile: "\(cluster.data)/logs/postern-\(service).log", encoding: .utf8))
                ?? ""
        }
    }
}
