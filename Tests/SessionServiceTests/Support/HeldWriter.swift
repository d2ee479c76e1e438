import Glibc
import Storage
import Synchronization
import TestSupport

/// Keeps the writer thread of a store busy until a test releases it, or so long that code which
/// waits for the writer is detected.
final class HeldWriter: Sendable {
    /// Far longer than any code that does not wait for the writer.
    private static let pausesMax = 2_000
    private static let pauseMicroseconds: UInt32 = 5_000

    private let isHeld = Atomic<Bool>(false)
    private let isFree = Atomic<Bool>(false)

    /// Runs `body` while the writer of `store` is busy.
    /// - Returns: whether the writer was busy until `body` had returned.
    /// - Throws: what `body` throws, or an error of the store.
    func during(_ store: Store, _ body: () async throws -> Void) async throws -> Bool {
        async let wasHeld = store.writeUnchecked { [self] _ in hold() }
        while !isHeld.load(ordering: .acquiring) { await Task.yield() }
        try await body()
        isFree.store(true, ordering: .releasing)
        return try await wasHeld
    }

    private func hold() -> Bool {
        isHeld.store(true, ordering: .releasing)
        for _ in 0..<Self.pausesMax {
            if isFree.load(ordering: .acquiring) { return true }
            usleep(Self.pauseMicroseconds)
        }
        return false
    }
}
