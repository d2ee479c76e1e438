import Cryptography
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Passwords in the memory of the programs")
    struct PasswordMemory {
        /// What is promised: 2 s after its answer a password is nowhere.
        private static let goneWithin = Duration.seconds(2)

        /// Three tries, or as many as `POSTERN_SOAK_ROUNDS` says. Odd ones are as long as a String
        /// keeps in itself, even ones are longer.
        @Test("B9: a password that was typed is in no program's memory 2 s after the answer")
        func typed() async throws {
            try await Cluster.with { cluster in
                let there = Array("postern.identity.v1.Accounts".utf8)
                let identity = try #require(cluster.processes["postern-identity"])
                #expect(
                    try !MemoryScan.places(of: there, in: identity).isEmpty,
                    "the search finds what is there")
                for number in 1...SoakRounds.count(ordinarily: 3) {
                    let person = Person(number)
                    let right = canary(number.isMultiple(of: 2) ? 21 : 13)
                    let wrong = canary(number.isMultiple(of: 2) ? 21 : 13)
                    let signUp = try await cluster.auth(
                        "SignUpWithPassword", person.credentials(right), from: person.address)
                    #expect(signUp.exitCode == 0, "\(signUp.json)")
                    #expect(try await cluster.signIn(person, right).exitCode == 0)
                    #expect(
                        try await cluster.signIn(person, wrong).code == "auth/invalid-credential")
                    try await Task.sleep(for: Self.goneWithin)
                    expectNone(of: [right, wrong], cluster, "try \(number)")
                }
            }
        }

        /// Letters and digits that no memory holds by chance.
        private func canary(_ count: Int) -> String {
            let digits = SecureRandomness().bytes(count).map {
                Array("kmpqrtvwxz234579".utf8)[Int($0 % 16)]
            }
            return "Aa1" + String(decoding: digits.dropLast(3), as: UTF8.self)
        }

        private func expectNone(of passwords: [String], _ cluster: Cluster, _ attempt: String) {
            let processes = cluster.processes
            #expect(processes.count == 5)
            for (name, process) in processes {
                for (kind, password) in zip(["right", "wrong"], passwords) {
                    do {
                        let places = try MemoryScan.places(of: Array(password.utf8), in: process)
                        #expect(places.isEmpty, "\(attempt), \(kind), \(name): \(places)")
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
    }
}
