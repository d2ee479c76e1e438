import Testing

@testable import Messages

@Suite("Hostile messages are typed errors and stay within the budget")
struct HostileMessageTests {
    @Test(
        "every truncation is read or rejected as by the other implementation",
        arguments: Golden.all)
    func truncations(golden: Golden) throws {
        let type = try #require(AllMessages.byName[golden.name])
        let arena = Arena()
        for length in golden.bytes.indices {
            let cut = Array(golden.bytes[..<length])
            let isMessage = isReadable(cut, as: type, arena)
            // A text cut inside a character is rejected by both; nothing else may differ.
            #expect(isMessage == golden.cuts.contains(length), "cut at \(length)")
        }
    }

    @Test("100,000 mutations give typed errors or messages that survive a round trip")
    func mutations() throws {
        var mutator = Mutator(seed: 20_260_101)
        let arena = Arena()
        var refused = 0
        for round in 0..<100_000 {
            let golden = Golden.all[mutator.below(Golden.all.count)]
            let type = try #require(AllMessages.byName[golden.name])
            let other = Golden.all[mutator.below(Golden.all.count)]
            let bytes = mutator.mutated(golden.bytes, with: other.bytes)
            do {
                let survives = try bytes.withUnsafeBytes { try isStable($0, as: type, arena) }
                #expect(survives, "round \(round), \(golden)")
            } catch is MessageError {
                refused += 1
            }
            #expect(arena.heldBytesMost <= ArenaTests.mostBytes(bytes.count), "round \(round)")
        }
        // If all or none of the mutations were rejected, the test would show nothing.
        #expect((20_000..<90_000).contains(refused))
    }

    @Test(
        "text that is not UTF-8 or contains NUL is rejected, and bytes may contain anything",
        arguments: [
            [0], [0x61, 0, 0x62], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80],
            [0xf4, 0x90, 0x80, 0x80], [0xe6, 0x97],
        ]
            as [[UInt8]])
    func text(payload: [UInt8]) throws {
        let field = [0x0a, UInt8(payload.count)] + payload
        #expect(throws: MessageError.invalidText) {
            try SessionV1.ValidateAccessTokenRequest(decoding: field)
        }
        #expect(throws: MessageError.invalidText) {
            try WireV1.Error(decoding: [0x42, UInt8(payload.count)] + payload)
        }
        let proof = try IdentityV1.SignInProof(decoding: [0x2a, UInt8(payload.count)] + payload)
        #expect(proof.nonce == payload)
    }

    @Test("text and bytes keep their exact length", arguments: [0, 1, 15, 16, 127, 128, 40_000])
    func lengths(count: Int) throws {
        let text = String(repeating: "é", count: count)
        let sent = WireV1.Metadata(key: text, value: Array(repeating: 0, count: count))
        let read = try WireV1.Metadata(decoding: sent.encoded())
        #expect(read == sent)
        #expect(read.key.utf8.count == 2 * count && read.value.count == count)
    }

    @Test("64 KiB of empty sub-messages exceed the budget, and the arena can be used again")
    func budget() throws {
        let arena = Arena()
        let hostile = Array(repeatElement([0x0a, 0x00] as [UInt8], count: 32 * 1024).joined())
        #expect(throws: MessageError.overBudget) {
            try hostile.withUnsafeBytes {
                try RateLimitV1.ConsumeRequest.decode($0, in: arena)
            }
        }
        let honest = RateLimitV1.Charge(limit: "a", subject: "b")
        let read = try honest.encoded().withUnsafeBytes {
            try RateLimitV1.Charge.decode($0, in: arena)
        }
        #expect(read == honest)
    }

    @Test("good messages of many small parts stay within the budget")
    func honest() throws {
        let charges = (0..<2000).map { RateLimitV1.Charge(limit: "\($0)", subject: "s") }
        let request = RateLimitV1.ConsumeRequest(charges: charges)
        #expect(try RateLimitV1.ConsumeRequest(decoding: request.encoded()) == request)
        let error = WireV1.Error(acceptableProofs: (0..<2000).map { "f\($0)" })
        #expect(try WireV1.Error(decoding: error.encoded()) == error)
    }

    @Test("thousands of unknown fields are skipped or exceed the budget")
    func unknownFields() throws {
        let unknown = Array(repeatElement([0xa0, 0x06, 0x01] as [UInt8], count: 50).joined())
        let read = try SessionV1.ValidateAccessTokenRequest(decoding: unknown + [0x0a, 0x01, 0x61])
        #expect(read == SessionV1.ValidateAccessTokenRequest(accessToken: "a"))
        let thousands = Array(repeatElement([0x18, 0x01] as [UInt8], count: 20_000).joined())
        #expect(throws: MessageError.overBudget) {
            try SessionV1.ValidateAccessTokenRequest(decoding: thousands)
        }
    }

    @Test("an unknown enum value is preserved")
    func unknownEnum() throws {
        let bytes: [UInt8] = [0x08, 0x63]
        let read = try HealthV1.CheckResponse(decoding: bytes)
        #expect(read.status == .unrecognized(99) && read.encoded() == bytes)
    }

    @Test(
        "groups, truncated varints, wrong types and false lengths are malformed",
        arguments: [
            [0x0b], [0x0c], [0x0a], [0x0a, 0x05, 0x61], [0x80], [0x00, 0x01], [0x08, 0x01],
            [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
            [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
            Array(repeating: 0xff, count: 11),
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: MessageError.malformed) {
            try SessionV1.ValidateAccessTokenRequest(decoding: bytes)
        }
    }

    // MARK: Any message type

    private func isReadable<Message: ProtobufMessage>(
        _ bytes: [UInt8], as type: Message.Type, _ arena: Arena
    ) -> Bool {
        // An error is a valid result here.
        (try? bytes.withUnsafeBytes { try Message.decode($0, in: arena) }) != nil
    }

    private func isStable<Message: ProtobufMessage>(
        _ bytes: UnsafeRawBufferPointer, as type: Message.Type, _ arena: Arena
    ) throws -> Bool {
        let message = try Message.decode(bytes, in: arena)
        let encoded = message.encoded()
        let again = try encoded.withUnsafeBytes { try Message.decode($0, in: arena) }
        return again == message && again.encoded() == encoded
    }
}
