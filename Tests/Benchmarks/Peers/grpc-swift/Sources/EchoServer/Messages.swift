import SwiftProtobuf

// The messages of echo.proto, with the behaviour of code by protoc-gen-swift. Written by hand,
// since that plugin brings its own protoc, a thousand C++ files to compile.

struct EchoRequest: Message, _MessageImplementationBase {
    static let protoMessageName = "postern.benchmark.v1.EchoRequest"

    var refreshToken = ""
    var origin: Origin?
    var unknownFields = UnknownStorage()

    mutating func decodeMessage<D: Decoder>(decoder: inout D) throws {
        while let field = try decoder.nextFieldNumber() {
            switch field {
            case 1: try decoder.decodeSingularStringField(value: &refreshToken)
            case 2: try decoder.decodeSingularMessageField(value: &origin)
            default: break
            }
        }
    }

    func traverse<V: Visitor>(visitor: inout V) throws {
        if !refreshToken.isEmpty {
            try visitor.visitSingularStringField(value: refreshToken, fieldNumber: 1)
        }
        if let origin { try visitor.visitSingularMessageField(value: origin, fieldNumber: 2) }
        try unknownFields.traverse(visitor: &visitor)
    }
}

struct Origin: Message, _MessageImplementationBase {
    static let protoMessageName = "postern.benchmark.v1.Origin"

    var deviceID = ""
    var platform = ""
    var deviceName = ""
    var unknownFields = UnknownStorage()

    mutating func decodeMessage<D: Decoder>(decoder: inout D) throws {
        while let field = try decoder.nextFieldNumber() {
            switch field {
            case 2: try decoder.decodeSingularStringField(value: &deviceID)
            case 3: try decoder.decodeSingularStringField(value: &platform)
            case 4: try decoder.decodeSingularStringField(value: &deviceName)
            default: break
            }
        }
    }

    func traverse<V: Visitor>(visitor: inout V) throws {
        for (field, text) in [(2, deviceID), (3, platform), (4, deviceName)] where !text.isEmpty {
            try visitor.visitSingularStringField(value: text, fieldNumber: field)
        }
        try unknownFields.traverse(visitor: &visitor)
    }
}

struct EchoResponse: Message, _MessageImplementationBase {
    static let protoMessageName = "postern.benchmark.v1.EchoResponse"

    var tokens: Tokens?
    var accountID = ""
    var unknownFields = UnknownStorage()

    mutating func decodeMessage<D: Decoder>(decoder: inout D) throws {
        while let field = try decoder.nextFieldNumber() {
            switch field {
            case 1: try decoder.decodeSingularMessageField(value: &tokens)
            case 2: try decoder.decodeSingularStringField(value: &accountID)
            default: break
            }
        }
    }

    func traverse<V: Visitor>(visitor: inout V) throws {
        if let tokens { try visitor.visitSingularMessageField(value: tokens, fieldNumber: 1) }
        if !accountID.isEmpty {
            try visitor.visitSingularStringField(value: accountID, fieldNumber: 2)
        }
        try unknownFields.traverse(visitor: &visitor)
    }
}

struct Tokens: Message, _MessageImplementationBase {
    static let protoMessageName = "postern.benchmark.v1.Tokens"

    var sessionID = ""
    var accessExpiresAtMs: Int64 = 0
    var idleExpiresAtMs: Int64 = 0
    var unknownFields = UnknownStorage()

    mutating func decodeMessage<D: Decoder>(decoder: inout D) throws {
        while let field = try decoder.nextFieldNumber() {
            switch field {
            case 1: try decoder.decodeSingularStringField(value: &sessionID)
            case 3: try decoder.decodeSingularInt64Field(value: &accessExpiresAtMs)
            case 5: try decoder.decodeSingularInt64Field(value: &idleExpiresAtMs)
            default: break
            }
        }
    }

    func traverse<V: Visitor>(visitor: inout V) throws {
        if !sessionID.isEmpty {
            try visitor.visitSingularStringField(value: sessionID, fieldNumber: 1)
        }
        if accessExpiresAtMs != 0 {
            try visitor.visitSingularInt64Field(value: accessExpiresAtMs, fieldNumber: 3)
        }
        if idleExpiresAtMs != 0 {
            try visitor.visitSingularInt64Field(value: idleExpiresAtMs, fieldNumber: 5)
        }
        try unknownFields.traverse(visitor: &visitor)
    }
}
