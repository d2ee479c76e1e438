import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite(
        "Backups of running services, and restores",
        .enabled(if: TestStore.runs("*Backup*")))
    struct BackupsAndRestores {
        @Test("O-01: a backup under writes lacks no sign-up that was acknowledged before it began")
        func underWrites() async throws {
            let backups = try await Backups()
            let log = SignUpLog()
            try await Cluster.with { cluster async throws in
                let (before, file) = try await log.during(cluster) {
                    try await log.grow(by: 8)
                    let before = log.acknowledged
                    let file = try await backups.make(cluster)
                    try await log.grow(by: 4)
                    return (before, file)
                }
                let verified = try await backups.verify(file, keysOf: cluster)
                #expect(verified.exitCode == 0, "\(verified.output)\(verified.errors)")
                #expect(verified.output.contains("fits"), "\(verified.output)")

                let home = try await backups.restore(file, keysOf: cluster.data)
                try await Cluster.with(home) { restored async throws in
                    let known = try await restored.emails()
                    let missing = before.map(\.email).filter { !known.contains($0) }
                    #expect(missing == [])
                    for person in before.prefix(3) {
                        let answer = try await restored.signIn(person)
                        #expect(answer.exitCode == 0, "\(person.email): \(answer.json)")
                    }
                }
            }
        }

        @Test("O-01, Erasure: after a restore sessions have ended, links are void, and all go on")
        func ended() async throws {
            let backups = try await Backups()
            let (ada, ben) = (Person(1), Person(2))
            try await Cluster.with { cluster async throws in
                let first: SignedIn = try await cluster.signUp(ada).read()
                let other: SignedIn = try await cluster.signUp(ben).read()
                let (used, unused) = (
                    try await cluster.mailedToken(to: ada.email),
                    try await cluster.mailedToken(to: ben.email)
                )
                let file = try await backups.make(cluster)
                let verified = try await verify(used, in: first.session, cluster)
                #expect(verified.exitCode == 0, "\(verified.json)")

                let home = try await backups.restore(file, keysOf: cluster.data)
                try await Cluster.with(home) { restored async throws in
                    for session in [first.session, other.session] {
                        #expect(try await restored.state(session).authenticated != true)
                        #expect(try await restored.refresh(session).code == "auth/session-ended")
                    }
                    let again: SignedIn = try await restored.signIn(ada).read()
                    #expect(again.account.accountId == first.account.accountId)
                    // One was used after the backup; the copy cannot know which.
                    for link in [used, unused] {
                        let answer = try await verify(link, in: again.session, restored)
                        #expect(answer.code == "auth/invalid-link", "\(answer.json)")
                    }
                    let trail = try await restored.tool([
                        "audit", "list", "--kind", "store.backup-restored", "-o", "json",
                    ])
                    let restores = trail.output.components(separatedBy: "store.backup-restored")
                    #expect(restores.count == 5, "four services with a store: \(trail.output)")
                    let verified = try await restored.tool(["audit", "verify"])
                    #expect(verified.exitCode == 0, "A-02: \(verified.output)")
                    #expect(try await restored.signUp(Person(3)).exitCode == 0)
                }
                // Once: what was opened after the restore survives the next start.
                try await Cluster.with(home) { restored async throws in
                    #expect(try await restored.signIn(ben).exitCode == 0)
                }
            }
        }

        private func verify(
            _ token: String, in session: Session, _ cluster: Cluster
        ) async throws -> Cluster.Answer {
            try await cluster.auth("VerifyEmail", ["token": token], in: session)
        }

        @Test("O-01: `age` opens a backup, and `tar` lists the names that the data folders have")
        func age() async throws {
            let backups = try await Backups()
            try await Cluster.with { cluster async throws in
                #expect(try await cluster.signUp(Person(1)).exitCode == 0)
                let file = try await backups.make(cluster)
                let open = "age -d -i '\(backups.identity)' '\(file)'"
                let names = try await Backups.shell("\(open) | tar t")
                    .split(separator: "\n").map(String.init)
                for service in ["identity", "session", "ratelimit", "notification"] {
                    #expect(names.contains("\(service).sqlite"))
                }
                #expect(names.contains { $0.hasPrefix("ratelimit.log.") }, "\(names)")
                #expect(names.last == "manifest.json")
                let manifest = try await Backups.shell("\(open) | tar xO manifest.json")
                let json = try JSONSerialization.jsonObject(with: Data(manifest.utf8))
                let stores = (json as? [String: Any])?["stores"] as? [[String: Any]]
                #expect(stores?.count == 4, "\(manifest)")
            }
        }

        @Test("O-01: a backup opens nothing without its key, and restores nothing over a store")
        func refused() async throws {
            let (backups, others) = (try await Backups(), try await Backups())
            try await Cluster.with { cluster async throws in
                let file = try await backups.make(cluster)
                let home = try await backups.home(withKeysOf: cluster.data)
                let foreign = try await ProgramRun.run("postern", others.restoring(file, in: home))
                #expect(foreign.exitCode == 1)
                #expect(
                    foreign.errors.contains("\(file): age: error: no identity matched"),
                    "\(foreign.errors)")
                let over = try await ProgramRun.run(
                    "postern",
                    [
                        "restore", "--from", file, "--identity", backups.identity, "--data",
                        "\(cluster.data)/data",
                    ])
                #expect(over.exitCode == 1)
                #expect(over.errors.contains("is in use by process"), "\(over.errors)")
                #expect(try await cluster.status().exitCode == 0)
            }
        }
    }
}
