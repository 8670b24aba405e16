#include "expression/operator_names.h"

namespace thence::expression {
namespace {

// tests/query/test_operator_names.py compares them with the installed packages. Operators that ONNX Runtime
// names after one model are missing.
constexpr std::string_view operator_names[] = {
    // ONNX
    "Abs", "Acos", "Acosh", "Add", "Affine", "AffineGrid", "And", "ArgMax", "ArgMin", "ArrayFeatureExtractor",
    "Asin", "Asinh", "Atan", "Atanh", "Attention", "AveragePool", "BatchNormalization", "Bernoulli",
    "Binarizer", "BitCast", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor",
    "BlackmanWindow", "Cast", "CastLike", "CastMap", "CategoryMapper", "CausalConvWithState", "Ceil", "Celu",
    "CenterCropPad", "Clip", "Col2Im", "Compress", "Concat", "ConcatFromSequence", "Constant",
    "ConstantOfShape", "Conv", "ConvInteger", "ConvTranspose", "Cos", "Cosh", "Crop", "CumProd", "CumSum",
    "DFT", "DeformConv", "DepthToSpace", "DequantizeLinear", "Det", "DictVectorizer",
    "DisentangledAttention_TRT", "Div", "Dropout", "DynamicQuantizeLinear", "DynamicSlice",
    "EfficientNMS_TRT", "Einsum", "Elu", "Equal", "Erf", "Exp", "Expand", "EyeLike", "FeatureVectorizer",
    "Flatten", "Floor", "GRU", "GRUUnit", "Gather", "GatherElements", "GatherND", "Gelu", "Gemm",
    "GivenTensorFill", "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool", "Greater", "GreaterOrEqual",
    "GridSample", "GroupNormalization", "HammingWindow", "HannWindow", "HardSigmoid", "HardSwish", "Hardmax",
    "Identity", "If", "ImageDecoder", "ImageScaler", "Imputer", "InstanceNormalization", "IsInf", "IsNaN",
    "LRN", "LSTM", "LabelEncoder", "LayerNormalization", "LeakyRelu", "Less", "LessOrEqual",
    "LinearAttention", "LinearClassifier", "LinearRegressor", "Log", "LogSoftmax", "Loop", "LpNormalization",
    "LpPool", "MatMul", "MatMulInteger", "Max", "MaxPool", "MaxRoiPool", "MaxUnpool", "Mean",
    "MeanVarianceNormalization", "MelWeightMatrix", "MemcpyFromHost", "MemcpyToHost", "Min", "Mish", "Mod",
    "Mul", "MultilevelCropAndResize_TRT", "Multinomial", "Neg", "NegativeLogLikelihoodLoss",
    "NonMaxSuppression", "NonZero", "Normalizer", "Not", "OneHot", "OneHotEncoder", "Optional",
    "OptionalGetElement", "OptionalHasElement", "Or", "PRelu", "Pad", "ParametricSoftplus", "Pow",
    "PyramidROIAlign_TRT", "QLinearConv", "QLinearMatMul", "QuantizeLinear", "RMSNormalization", "RNN",
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Range", "Reciprocal",
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
    "ReduceProd", "ReduceSum", "ReduceSumSquare", "RegexFullMatch", "Relu", "Reshape", "Resize",
    "ReverseSequence", "RoiAlign", "RotaryEmbedding", "Round", "STFT", "SVMClassifier", "SVMRegressor",
    "Scale", "ScaledTanh", "Scaler", "Scan", "Scatter", "ScatterElements", "ScatterND", "Selu", "SequenceAt",
    "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "SequenceMap",
    "Shape", "Shrink", "Sigmoid", "Sign", "SimplifiedLayerNormalization", "Sin", "Sinh", "Size", "Slice",
    "Softmax", "SoftmaxCrossEntropyLoss", "Softplus", "Softsign", "SpaceToDepth", "Split", "SplitToSequence",
    "Sqrt", "Squeeze", "StringConcat", "StringNormalizer", "StringSplit", "Sub", "Sum", "SwiGLU", "Swish",
    "Tan", "Tanh", "TensorScatter", "TfIdfVectorizer", "ThresholdedRelu", "Tile", "TopK", "Transpose",
    "TreeEnsemble", "TreeEnsembleClassifier", "TreeEnsembleRegressor", "Trilu", "Unique", "Unsqueeze",
    "Upsample", "Where", "Xor", "ZipMap",
    // ONNX Runtime
    "AttnLSTM", "BeamSearch", "BiasAdd", "BiasDropout", "BiasGelu", "BiasSoftmax", "BiasSplitGelu",
    "BifurcationDetector", "BitmaskBiasDropout", "BitmaskDropout", "BranchwiseRMSNorm", "CDist", "ComplexMul",
    "ComplexMulConj", "ConvTransposeWithDynamicPads", "CropAndResize", "DecoderAttention",
    "DecoderMaskedMultiHeadAttention", "DecoderMaskedSelfAttention", "DequantizeBFP", "DequantizeWithOrder",
    "DynamicQuantizeLSTM", "DynamicQuantizeMatMul", "DynamicSparseAttention", "DynamicTimeWarping",
    "EPContext", "EmbedLayerNormalization", "EngramGate", "ExpandDims", "FastGelu", "FusedConv", "FusedGemm",
    "FusedMatMul", "FusedMatMulActivation", "GatedAdd", "GatedDeltaNet", "GatedRMSNorm",
    "GatedRelativePositionBias", "GatherBlockQuantized", "GemmFastGelu", "GemmFloat8", "GreedySearch",
    "GroupNorm", "GroupQueryAttention", "HyperConnectionPostMix", "HyperConnectionPreMix", "Inverse", "Irfft",
    "IsAllFinite", "LinearAttentionGate", "MRotaryEmbedding", "MatMulBlockQuantizedFp4Weight",
    "MatMulBlockQuantizedFp8Weight", "MatMulBnb4", "MatMulFpQ4", "MatMulInteger16", "MatMulIntegerToFloat",
    "MatMulNBits", "MatMulNBitsMlp", "MatMulNBitsQkv", "MaxpoolWithMask", "MoE", "MulInteger",
    "MultiHeadAttention", "MurmurHash3", "NGramHashMapping", "NGramRepeatBlock", "NhwcConv", "NhwcFusedConv",
    "NhwcMaxPool", "PackedAttention", "PackedMultiHeadAttention", "PackedSparseAttentionIndexer",
    "PagedAttention", "QAttention", "QEmbedLayerNormalization", "QGemm", "QLinearAdd", "QLinearAveragePool",
    "QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMul", "QLinearReduceMean",
    "QLinearSigmoid", "QLinearSoftmax", "QLinearWhere", "QMoE", "QOrderedAttention", "QOrderedGelu",
    "QOrderedLayerNormalization", "QOrderedMatMul", "QuantizeBFP", "QuantizeWithOrder", "QuickGelu",
    "ReduceSumInteger", "RelativePositionBias", "RemovePadding", "RestorePadding", "Rfft", "SampleOp",
    "Sampling", "ScaledSiLU", "SkipGroupNorm", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
    "Snpe", "SparseAttention", "SparseAttentionIndexer", "SparsePagedAttention", "SparseToDenseMatMul",
    "Tokenizer", "TorchEmbedding", "TransposeMatMul", "UnfoldTensor", "VarlenCausalConvWithState",
    "VarlenNGramHashMapping", "WordConvEmbedding"};

}  // namespace

std::span<const std::string_view> standard_operators() { return operator_names; }

}  // namespace thence::expression
