import Contracts
import Foundation
import Glibc
import Messages
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    /// Short deadlines, repeats and stopped programs, and what they do to the counts.
    @Suite("Deadlines and repeats")
    struct Deadlines {
        @Test(
            "H2: a short deadline neither reveals whether a password is right nor costs an attempt")
        func oracle() async throws {
            let folder = try TemporaryFolder()
            // A slower hash is stored, so that a failed sign-in takes as long as that hash.
            let slow = [
                "POSTERN_PASSWORD_HASH_MEMORY": "65536", "POSTERN_PASSWORD_HASH_PASSES": "16",
            ]
            try await Cluster.with(folder, environment: slow) { cluster in
                let signedUp = try await cluster.signUp(Person(1))
                #expect(signedUp.exitCode == 0)
            }
            try await Cluster.with(folder) { cluster in
                let bob = Person(2)
                #expect(try await cluster.signUp(bob).exitCode == 0)
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                let wrong = try await backend.signIn(bob, "Wrong7Horse", device: "warm")
                #expect(wrong == .invalidCredential)
                for number in 0..<6 {
                    for password in ["Wrong7Horse", Person.password] {
                        let code = try await backend.signIn(
                            bob, password, device: "d\(number)", within: .milliseconds(400))
                        #expect(code == .deadlineExceeded)
                    }
                }
                #expect(try await backend.signIn(bob, device: "new") == nil)
            }
        }

        @Test("H2: a guess whose response did not arrive in time stays charged")
        func unanswered() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                #expect(try await cluster.signUp(ada).exitCode == 0)
                #expect(try await cluster.signIn(ada).exitCode == 0)
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                try await cluster.stopped("identity") {
                    for number in 0..<5 {
                        let code = try await backend.signIn(
                            ada, "Wrong7Horse", device: "d\(number)", within: .seconds(2))
                        #expect(code == .deadlineExceeded)
                    }
                }
                #expect(try await backend.signIn(ada, device: "d6") == .tooManyRequests)
                if TestStore.isOnServer {
                    // Identity has lost its store meanwhile, and takes it again.
                    let isBack = try await eventually {
                        try await cluster.signIn(ada).exitCode == 0
                    }
                    #expect(isBack)
                }
                #expect(try await cluster.signIn(ada).exitCode == 0, "a known device")
            }
        }

        @Test("X-07: a part that hangs is named by the program that called it")
        func hanging() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                #expect(try await cluster.signUp(ada).exitCode == 0)
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                for part in ["session", "identity"] {
                    try await cluster.stopped(part) {
                        let isNamed = try await eventually(within: .seconds(5)) {
                            let error = await backend.signInError(
                                ada, device: ada.device, within: .seconds(2))
                            #expect(error?.code == .deadlineExceeded)
                            return error?.unavailablePart == "gateway.\(part)"
                        }
                        #expect(isNamed)
                    }
                    let isBack = try await eventually {
                        try await backend.signIn(ada, device: ada.device) == nil
                    }
                    #expect(isBack)
                }
            }
        }

        @Test("M2: calls with short deadlines neither open a circuit breaker nor go uncounted")
        func breakers() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                #expect(try await cluster.signUp(ada).exitCode == 0)
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                for milliseconds in [12, 15, 40, 260] {
                    for number in 0..<20 {
                        let within = Duration.milliseconds(milliseconds)
                        _ = try await backend.signIn(
                            ada, "Wrong7Horse", device: "d", from: Person(300 + number).address,
                            within: within)
                        _ = await backend.signUp(Person(2), within: within)
                    }
                    #expect(try await backend.signIn(ada, device: ada.device) == nil)
                }
                let metrics = try cluster.metrics("gateway", "/metrics").split(separator: "\n")
                let reported = metrics.filter {
                    $0.contains("limiter_fallbacks") || $0.contains("breaker_opens")
                }
                #expect(
                    reported.allSatisfy { $0.hasPrefix("#") || $0.hasSuffix(" 0") }, "\(reported)")
            }
        }

        @Test("B1: a charge repeated with its key after a crash is charged once")
        func repeatedCharge() async throws {
            try await Cluster.with { cluster in
                let json =
                    "{\"charges\": [{\"limit\": \"sign-up-by-address\", \"subject\": \"192.0.2.7\"}]}"
                func consume() async throws -> Bool {
                    try await cluster.call(
                        "postern.ratelimit.v1.Limits/Consume", json,
                        metadata: ["idempotency-key": "k"]
                    ).exitCode == 0
                }
                #expect(try await consume())
                for _ in 0..<3 {
                    try cluster.crash("rate-limit")
                    let isRepeated = try await eventually { try await consume() }
                    #expect(isRepeated)
                }
                let peek = try await cluster.call("postern.ratelimit.v1.Limits/Peek", json)
                #expect(peek.json.contains("\"remaining\": 1"), "\(peek.json)")
            }
        }

        @Test("B2: eight concurrent sign-ups with one key create one account and one charge")
        func repeatedSignUp() async throws {
            try await Cluster.with { cluster in
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                let accounts = try await withThrowingTaskGroup(of: String?.self) { calls in
                    for _ in 0..<8 {
                        calls.addTask {
                            try await backend.auth.signUpWithPassword(
                                Person(1).signUp, backend.context(Person(1), key: "k")
                            ).account?.accountId
                        }
                    }
                    return try await calls.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(accounts.count == 1 && !accounts.contains(nil))
                let answers: [(Int, String?)] = [
                    (2, nil), (3, nil), (4, "auth/too-many-requests"),
                ]
                for (number, code) in answers {
                    let answer = try await cluster.auth(
                        "SignUpWithPassword", Person(number).credentials(), from: Person(1).address)
                    #expect(answer.code == code)
                }
            }
        }

        @Test("B13: charges that a stalled limiter reads late do not lock the owner out")
        func stalledLimiter() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                #expect(try await cluster.signUp(ada).exitCode == 0)
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                #expect(try await backend.signIn(ada, device: "first") == nil)
                try await cluster.stopped("rate-limit") {
                    for number in 0..<6 {
                        let code = try await backend.signIn(ada, device: "d\(number)")
                        #expect(code == .unavailable)
                    }
                }
                var code: ErrorCode? = .unavailable
                _ = try await eventually {
                    code = try await backend.signIn(ada, device: "new")
                    return code != .unavailable
                }
                #expect(code == nil)
            }
        }

        @Test("B7: a client address that is not a plain IP address is rejected by field name")
        func address() async throws {
            try await Cluster.with { cluster in
                for address in ["198.51.100.7:1234", " ", "198.51.100.7, 192.0.2.7", "[::1]", "me"]
                {
                    let answer = try await cluster.auth(
                        "SignUpWithPassword", Person(1).credentials(), from: address)
                    #expect(answer.code == "rpc/invalid-argument", "\(address)")
                    #expect(answer.json.contains("client-address"), "\(answer.json)")
                }
                #expect(try await cluster.signUp(Person(1)).exitCode == 0)
            }
        }
    }
}

extension Cluster {
    /// Runs `body` while a program is stopped: its connections stay open, and it reads nothing.
    fileprivate func stopped(_ service: String, _ body: () async throws -> Void) async throws {
        guard let process = processes["postern-\(service)"] else {
            throw ClusterError(message: "postern-\(service) does not run")
        }
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        try await body()
    }
}
