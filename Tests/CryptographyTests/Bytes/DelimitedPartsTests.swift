import Testing

@testable import Cryptography

@Suite("Length-prefixed parts")
struct DelimitedPartsTests {
    @Test("each part follows its length in four bytes, big-endian")
    func bytes() {
        #expect(
            DelimitedParts.joined([[7, 8], [], [9]]) == [
                0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 0, 0, 0, 1, 9,
            ])
        #expect(DelimitedParts.joined([]).isEmpty)
    }

    @Test("different lists of parts give different bytes")
    func noTwoListsAlike() {
        let lists: [[[UInt8]]] = [
            [[1, 2], [3]], [[1], [2, 3]], [[1, 2, 3]], [[1, 2, 3], []], [[], [1, 2, 3]],
        ]
        #expect(Set(lists.map(DelimitedParts.joined)).count == lists.count)
    }
}
