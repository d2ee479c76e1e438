import ServiceRuntime
import Testing

extension SystemTests {
    /// The detector with small numbers, since reaching the default thresholds takes too long.
    /// By default 500 failures raise the alarm, and ten of each site count.
    @Suite("Detection of credential stuffing")
    struct Stuffing {
        /// Ten addresses of three sites: three in each of two /24, four in one /48.
        private static let addresses: [String] =
            (1...3).flatMap { ["198.51.100.\($0)", "203.0.113.\($0)"] }
            + (1...4).map { "2001:db8:1:\($0)::1" }
        /// The smallest number of failures that the limits file can set.
        private static let raisedBy = 65
        private static let tries = 80
        /// Two people at other sites than the attackers' addresses, and than each other.
        private static let people = [Person(1), Person(251)]

        private func with(
            limits: String, _ test: (Cluster, StoryBackend) async throws -> Void
        ) async throws {
            try await Cluster.with(limits: limits) { cluster in
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                for person in Self.people { #expect(await backend.signUp(person) == nil) }
                try await test(cluster, backend)
            }
        }

        /// Wrong passwords for invented emails from each address in turn, each on a new device.
        private func attack(_ backend: StoryBackend) async throws -> [ErrorCode?] {
            var codes: [ErrorCode?] = []
            for number in 0..<Self.tries {
                let address = Self.addresses[number % Self.addresses.count]
                func attempt() async throws -> ErrorCode? {
                    try await backend.signIn(
                        Person(1_000 + number), "Wrong7Horse", device: "d\(number)",
                        from: address)
                }
                var code = try await attempt()
                // The limiter was not heard of for a quarter of a second: the machine was busy.
                if code == .unavailable { code = try await attempt() }
                codes.append(code)
            }
            return codes
        }

        /// Both people can sign in from home, on a new device and on the one that signed up.
        private func expectOwnersIn(_ backend: StoryBackend) async throws {
            for person in Self.people {
                #expect(try await backend.signIn(person, device: "new") == nil)
                #expect(try await backend.signIn(person, device: person.device) == nil)
            }
        }

        @Test(
            "B12: ten addresses that fail at invented emails raise no alarm and lock no owner out"
        )
        func tenAddresses() async throws {
            try await with(limits: "sign-in-failures-overall-count: \(Self.raisedBy)\n") {
                _, backend in
                let codes = try await attack(backend)
                #expect(codes.allSatisfy { $0 == .invalidCredential }, "no attempt is limited")
                try await expectOwnersIn(backend)
            }
        }

        @Test(
            "M1: during an alarm, attacking sites are refused, and owners elsewhere can sign in"
        )
        func sites() async throws {
            // So many failures of each site count that three sites raise the alarm.
            let limits = """
                sign-in-failures-overall-count: \(Self.raisedBy)
                sign-in-failures-by-site-count: 64

                """
            try await with(limits: limits) { cluster, backend in
                let codes = try await attack(backend)
                #expect(codes.prefix(Self.raisedBy).allSatisfy { $0 == .invalidCredential })
                let slowed = codes.dropFirst(Self.raisedBy)
                #expect(slowed.count { $0 == .invalidCredential } == 3, "one of each site")
                #expect(slowed.count { $0 == .tooManyRequests } == Self.tries - Self.raisedBy - 3)
                // The last of its eight attempts was refused by the alarm, and is charged all the
                // same.
                let peek = try await cluster.limits(
                    "peek", "failed-sign-in-by-address", Self.addresses[1])
                #expect(peek.output.hasPrefix("free: 41 more"), "\(peek.output)\(peek.errors)")
                try await expectNeighbourIn(backend)
                try await expectOwnersIn(backend)
            }
        }

        /// At another address of an attacking site, the device that signed up can sign in, and a
        /// new device cannot.
        private func expectNeighbourIn(_ backend: StoryBackend) async throws {
            let person = Self.people[0]
            let there = "203.0.113.200"
            let new = try await backend.signIn(person, device: "there", from: there)
            #expect(new == .tooManyRequests)
            #expect(try await backend.signIn(person, device: person.device, from: there) == nil)
        }
    }
}
