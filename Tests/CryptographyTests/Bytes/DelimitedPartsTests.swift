import Testing

@testable import Cryptography

@Suite("Parts behind their lengths")
struct DelimitedPartsTests {
    @Test("each part stands behind four bytes of length, big-endian")
    func bytes() {
        #expect(
            DelimitedParts.joined([[7, 8], [], [9]]) == [
                0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 0, 0, 0, 1, 9,
            ])
        #expect(DelimitedParts.joined([]).isEmpty)
    }

    @Test("moving a byte to the neighbour, or leaving a part out, gives other bytes")
    func noTwoListsAlike() {
        let lists: [[[UInt8]]] = [
            [[1, 2], [3]], [[1], [2, 3]], [[1, 2, 3]], [[1, 2, 3], []], [[], [1, 2, 3]],
        ]
        #expect(Set(lists.map(DelimitedParts.joined)).count == lists.count)
    }
}
