package import JSON

extension WireV1.Error {
    /// As JSON, in the mapping of proto3: 64-bit numbers are texts, and empty fields are omitted.
    /// Written out here, since a program has no descriptors of the wire protocol's own messages.
    package var json: JSONObject {
        var json = JSONObject()
        json.put("code", code)
        json.put("userMessage", userMessage)
        if retryable { _ = json.add("retryable", .boolean(true)) }
        json.put("retryAfterMs", retryAfterMs)
        json.put("action", action)
        if !violations.isEmpty {
            _ = json.add("violations", .array(violations.map { .object($0.json) }))
        }
        json.put("acceptableProofs", acceptableProofs)
        json.put("alternatives", alternatives)
        json.put("unavailablePart", unavailablePart)
        if let secondProof { _ = json.add("secondProof", .object(secondProof.json)) }
        json.put("currentVersion", currentVersion)
        if let documentQuota { _ = json.add("documentQuota", .object(documentQuota.json)) }
        json.put("unitsNeeded", unitsNeeded)
        return json
    }
}

extension WireV1.Violation {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("field", field)
        json.put("rule", rule)
        json.put("sentence", sentence)
        return json
    }
}

extension WireV1.SecondProof {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("challenge", challenge)
        json.put("kinds", kinds)
        json.put("expiresAtMs", expiresAtMs)
        json.put("hints", hints)
        return json
    }
}

extension WireV1.DocumentQuota {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("documents", documents)
        json.put("documentsMax", documentsMax)
        json.put("bytes", bytes)
        json.put("bytesMax", bytesMax)
        return json
    }
}

extension JSONObject {
    fileprivate mutating func put(_ name: String, _ text: String) {
        if !text.isEmpty { _ = add(name, .string(text)) }
    }

    fileprivate mutating func put(_ name: String, _ texts: [String]) {
        if !texts.isEmpty { _ = add(name, .array(texts.map { .string($0) })) }
    }

    fileprivate mutating func put(_ name: String, _ number: Int64) {
        if number != 0 { _ = add(name, .string("\(number)")) }
    }

    fileprivate mutating func put(_ name: String, _ number: UInt32) {
        if number != 0 { _ = add(name, .integer(Int64(number))) }
    }
}
