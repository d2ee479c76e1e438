import Glibc

extension PasswordHashPool {
    /// The number of concurrent hashes, the number of waiting ones, and the cost of one hash.
    package struct Settings: Hashable, Sendable {
        /// Passwords that may wait for each thread: 64 × 23 ms are 1.5 s, about as long as a user
        /// waits for a sign-in before trying again.
        package static let waitingPerThread = 64
        /// How much lower than normal the priority of the threads is (nice(1): 0 … 19).
        package static let standardNiceness: Int32 = 10
        /// The estimated duration of a hash until one has been measured.
        static let hashTime: Duration = .milliseconds(25)

        /// The number of concurrent hashes. Each uses a core and the memory of `parameters`. At
        /// least 1.
        package let threads: Int
        /// Passwords that may wait while all threads are busy.
        package let waitingMax: Int
        /// How much lower than normal the priority of the threads is.
        package let niceness: Int32
        /// The cost of a new hash.
        package let parameters: Argon2Parameters

        /// The settings. Omitted ones have their defaults: a thread for each core.
        package init(
            threads: Int? = nil, waitingMax: Int? = nil, niceness: Int32 = standardNiceness,
            parameters: Argon2Parameters = .standard
        ) {
            let threads = max(1, threads ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
            self.threads = threads
            self.waitingMax = max(0, waitingMax ?? threads * Self.waitingPerThread)
            self.niceness = niceness
            self.parameters = parameters
        }
    }
}
