import Glibc
import Storage
import Synchronization

/// A store whose writer's thread is busy until a test lets it go, or for so long that whoever
/// waits for it is found out.
final class HeldWriter: Sendable {
    /// Far longer than what does not wait for the writer takes.
    private static let pausesMax = 2_000
    private static let pauseMicroseconds: UInt32 = 5_000

    private let isHeld = Atomic<Bool>(false)
    private let isFree = Atomic<Bool>(false)

    /// Runs `body` while the writer of `store` is busy.
    /// - Returns: whether it was until `body` had ended.
    func during(_ store: Store, _ body: () async throws -> Void) async throws -> Bool {
        async let wasHeld = store.write { [self] _ in hold() }
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
