import Glibc

extension PasswordHashPool {
    /// How many hashes at once, how many may wait, and what one costs.
    package struct Settings: Hashable, Sendable {
        /// Passwords that may wait for each thread: 64 × 23 ms are 1.5 s, about as long as a
        /// person waits for a sign-in without trying again.
        package static let waitingPerThread = 64
        /// How far below other threads' priority these run (nice(1): 0 … 19).
        package static let standardNiceness: Int32 = 10
        /// What a hash takes until one has been measured.
        static let hashTime: Duration = .milliseconds(25)

        /// Hashes at once; each takes a core and the memory of `parameters`. At least 1.
        package let threads: Int
        /// Passwords that may wait while all threads are busy.
        package let waitingMax: Int
        /// How far below other threads' priority these run.
        package let niceness: Int32
        /// What a new hash costs.
        package let parameters: Argon2Parameters

        /// Settings; what is left out takes its default: a thread for each core.
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
