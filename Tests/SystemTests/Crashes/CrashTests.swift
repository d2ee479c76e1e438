import Glibc
import TestSupport
import Testing

extension SystemTests {
    @Suite("Crashes")
    struct Crashes {
        @Test("after kill -9 of any program it is restarted, and no acknowledged change is lost")
        func eachInTurn() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let first: SignedIn = try await cluster.signUp(ada).read()
                var session = first.session
                for service in BuiltPrograms.services {
                    let before = cluster.processes["postern-\(service)"]
                    try cluster.crash(service)
                    session = try await checkAll(ada, first, session, cluster)
                    // A sign-in does not need all programs: this one may still be starting.
                    let isNew = try await eventually {
                        let after = cluster.processes["postern-\(service)"]
                        return after != nil && after != before
                    }
                    #expect(isNew)
                    #expect(cluster.output.contains("postern-\(service) was ended by signal 9"))
                }
                #expect(cluster.processes.count == 6)
            }
        }

        /// Everything that was acknowledged is still valid: the account, the session, its last
        /// refresh.
        private func checkAll(
            _ person: Person, _ first: SignedIn, _ session: Session, _ cluster: Cluster
        ) async throws -> Session {
            var code: String?
            let isBack = try await eventually {
                let answer = try await cluster.signIn(person)
                code = answer.code
                guard answer.exitCode == 0 else { return false }
                let signedIn: SignedIn = try answer.read()
                return signedIn.account.accountId == first.account.accountId
            }
            #expect(isBack, "the last answer was \(code ?? "none")")
            #expect(try await cluster.state(first.session).authenticated == true)
            let child: Refreshed = try await cluster.refresh(session).read()
            return child.session
        }

        @Test("when postern up itself is killed, all programs end within 5 s")
        func supervisor() async throws {
            try await Cluster.with { cluster in
                let processes = cluster.processes
                #expect(processes.count == 6)
                cluster.up.send(SIGKILL)
                let areGone = try await eventually(within: .seconds(5)) {
                    !processes.contains { Cluster.isRunning($0.key, $0.value) }
                }
                #expect(areGone)
            }
        }

        @Test("after postern up was killed, the next one starts at once and knows all accounts")
        func nextSupervisor() async throws {
            let folder = try TemporaryFolder()
            let ada = Person(1)
            try await Cluster.with(folder) { cluster async throws in
                #expect(try await cluster.signUp(ada).exitCode == 0)
                cluster.up.send(SIGKILL)
                _ = await cluster.up.end(within: .seconds(5))
            }
            try await Cluster.with(folder) { cluster async throws in
                #expect(try await cluster.signIn(ada).exitCode == 0)
            }
        }
    }
}
