//! Copies, fills, random numbers, views, and questions that touch no element.

use crate::event::Event;
use crate::family::movement::{bytes, moved, results};
use crate::family::work::Work;
use crate::vocabulary::table::{Entry, Rule, each, moves, plain, reduce};

pub const TABLE: &[Entry] = &[
    plain(
        "clone contiguous _to_copy to cat concat concatenate stack hstack vstack dstack \
         column_stack row_stack _stack repeat tile repeat_interleave flip fliplr flipud roll rot90 \
         tril triu constant_pad_nd pad reflection_pad1d reflection_pad2d reflection_pad3d \
         replication_pad1d replication_pad2d replication_pad3d _pad_circular _pad_enum \
         pixel_shuffle pixel_unshuffle channel_shuffle native_channel_shuffle im2col block_diag \
         diag_embed diag diagflat complex expand_copy view_copy permute_copy transpose_copy t_copy \
         slice_copy select_copy squeeze_copy unsqueeze_copy unbind_copy split_copy \
         split_with_sizes_copy as_strided_copy detach_copy alias_copy diagonal_copy unfold_copy \
         view_as_real_copy view_as_complex_copy lift lift_fresh_copy _reshape_copy narrow_copy \
         values_copy indices_copy crow_indices_copy col_indices_copy ccol_indices_copy \
         row_indices_copy _values_copy _indices_copy to_dense _to_dense to_mkldnn to_sparse_csr \
         _to_cpu meshgrid cartesian_prod unsafe_split unsafe_split_with_sizes unsafe_chunk \
         pin_memory _pin_memory nested_to_padded_tensor to_padded_tensor \
         _nested_from_padded_and_nested_example _nested_from_padded \
         _nested_tensor_from_tensor_list _jagged_to_padded_dense_forward \
         _padded_dense_to_jagged_forward _pack_padded_sequence _pad_packed_sequence pad_sequence \
         _chunk_cat unflatten_dense_tensors flatten_dense_tensors _cast_Float _cast_Half \
         _cast_Double _cast_Int _cast_Long _cast_Byte _cast_Char _cast_Short type_as chalf \
         masked_scatter_backward _nested_tensor_from_mask dequantize_copy _mkldnn_reshape \
         _mkldnn_transpose mkldnn_reorder_conv2d_weight mkldnn_reorder_conv3d_weight \
         _convert_weight_to_int4pack _convert_weight_to_int4pack_for_cpu \
         _dyn_quant_pack_4bit_weight unfold_backward_copy select_backward slice_backward \
         diagonal_backward _conj_copy _neg_view_copy _copy_from _copy_from_and_resize \
         lu_unpack argwhere nonzero_static combinations expand_as_copy _lazy_clone \
         sparse_coo_tensor _coalesced _spdiags sparse_mask _sparse_mask_projection \
         slice_inverse trace_backward from_file shallow_copy_data \
         _reshape_alias_copy _fw_primal_copy _make_dual_copy _nested_get_values_copy \
         _nested_view_from_buffer_copy _nested_view_from_jagged_copy _nested_from_padded_tensor \
         _nested_tensor_from_mask_left_aligned _nested_select_backward _reshape_from_tensor \
         _sparse_broadcast_to_copy _make_per_tensor_quantized_tensor \
         _make_per_channel_quantized_tensor to_sparse to_sparse_bsr to_sparse_bsc to_sparse_csc \
         _to_sparse _to_sparse_csr _to_sparse_csc _to_sparse_bsr _to_sparse_bsc \
         _to_sparse_semi_structured to_dense_backward to_mkldnn_backward \
         copy_sparse_to_sparse resize_as_sparse _convert_indices_from_coo_to_csr \
         _convert_indices_from_csr_to_coo _cslt_compress _saturate_weight_to_fp16 \
         _pack_padded_sequence_backward _sparse_sum_backward \
         value_selecting_reduction_backward _sparse_semi_structured_tile \
         _sparse_semi_structured_apply _sparse_semi_structured_apply_dense",
        Rule::Copy,
    ),
    moves(
        "copy copy_",
        "zero: source read, target written",
        |e: &Event| {
            let read = e.tensors("src").chain(e.tensors("other"));
            Ok(moved(bytes(read), results(e)))
        },
    ),
    plain(
        "zeros zeros_like ones ones_like full full_like new_zeros new_ones new_full eye arange \
         range linspace logspace scalar_tensor fill fill_ zero zero_ fill_diagonal_ tril_indices \
         triu_indices bartlett_window blackman_window hamming_window hann_window kaiser_window \
         fft_fftfreq fft_rfftfreq _efficientzerotensor vander _shape_as_tensor _dim_arange",
        Rule::Fill,
    ),
    plain(
        "rand rand_like randn randn_like randint randint_like randperm normal normal_functional \
         uniform random exponential bernoulli multinomial cauchy geometric log_normal poisson \
         binomial _sample_dirichlet _standard_gamma _fill_mem_eff_dropout_mask_ _philox_normal_ \
         _philox_uniform_ _philox_randint_ _sobol_engine_draw _philox_normal \
         _philox_uniform _philox_randint _philox_key_split _philox_key_fold_in",
        Rule::Fill,
    ),
    plain(
        "coalesce _coalesce",
        Rule::Unknown("how many of its indices are the same is data"),
    ),
    plain(
        "empty empty_like empty_strided empty_permuted new_empty new_empty_strided empty_quantized \
         _empty_affine_quantized _empty_per_channel_affine_quantized resize resize_as \
         _resize_output set detach alias view _unsafe_view reshape _reshape_alias expand expand_as \
         broadcast_to broadcast_tensors permute transpose t numpy_T mT mH matrix_H adjoint \
         swapaxes swapdims movedim moveaxis squeeze unsqueeze flatten unflatten ravel select slice \
         narrow split split_with_sizes chunk tensor_split hsplit vsplit dsplit unbind diagonal \
         unfold as_strided view_as view_as_real view_as_complex real imag conj resolve_conj \
         resolve_neg _conj _neg_view lift_fresh atleast_1d atleast_2d atleast_3d positive \
         linalg_diagonal values indices _values _indices crow_indices col_indices ccol_indices \
         row_indices data requires_grad retain_grad",
        Rule::Nothing,
    ),
    plain(
        "size stride numel dim sym_size sym_stride sym_numel sym_storage_offset \
         sym_is_contiguous storage_offset is_contiguous is_same_size is_complex \
         is_floating_point is_signed is_conj is_neg is_inference is_coalesced is_pinned is_set_to \
         is_leaf output_nr _version result_type can_cast promote_types get_device _nnz dense_dim \
         sparse_dim _dimI _dimV qscheme q_scale q_zero_point q_per_channel_scales \
         q_per_channel_zero_points q_per_channel_axis item _local_scalar_dense is_nonzero_scalar \
         _assert_async _assert_scalar _assert_tensor_metadata _functional_assert_async \
         _functional_assert_scalar sym_constrain_range sym_constrain_range_for_size \
         _functional_sym_constrain_range _functional_sym_constrain_range_for_size _print \
         record_stream _has_compatible_shallow_copy_type _has_same_storage_numel \
         _debug_has_internal_overlap _make_dep_token _fused_sdp_choice _use_cudnn_ctc_loss \
         _use_miopen_ctc_loss _use_cudnn_rnn_flatten_weight cudnn_is_acceptable \
         _linalg_check_errors _nested_tensor_size _nested_tensor_strides \
         _nested_tensor_storage_offsets _nested_get_values _nested_get_offsets \
         _nested_get_lengths _nested_get_ragged_idx _nested_get_min_seqlen \
         _nested_get_max_seqlen _nested_get_jagged_dummy _nested_view_from_buffer \
         _nested_view_from_jagged _nested_compute_contiguous_strides_offsets \
         _cudnn_init_dropout_state _validate_sparse_coo_tensor_args \
         _validate_sparse_compressed_tensor_args _validate_compressed_sparse_indices \
         _validate_sparse_csr_tensor_args is_vulkan_available _is_zerotensor is_distributed \
         retains_grad _sparse_coo_tensor_with_dims_and_tensors _sparse_coo_tensor_with_dims \
         _sparse_coo_tensor_unsafe _sparse_compressed_tensor_unsafe _sparse_csr_tensor_unsafe \
         _sparse_csc_tensor_unsafe _sparse_bsr_tensor_unsafe _sparse_bsc_tensor_unsafe \
         _sparse_compressed_tensor_with_dims _sparse_broadcast_to \
         sparse_compressed_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor \
         sparse_bsc_tensor sparse_resize sparse_resize_and_clear reshape_as set_data \
         _add_batch_dim _remove_batch_dim is_non_overlapping_and_dense is_strides_like_format \
         _nnpack_available _validate_sparse_csc_tensor_args _validate_sparse_bsr_tensor_args \
         _validate_sparse_bsc_tensor_args _cufft_get_plan_cache_size _is_tracing \
         _cufft_get_plan_cache_max_size _cufft_set_plan_cache_max_size \
         _cufft_clear_plan_cache _propagate_xla_data _new_zeros_with_same_feature_meta \
         _make_dual _unpack_dual _fw_primal",
        Rule::Nothing,
    ),
    reduce("col2im unfold_backward", Work::arithmetic(1), Work::NONE),
    reduce(
        "reflection_pad1d_backward reflection_pad2d_backward reflection_pad3d_backward \
         replication_pad1d_backward replication_pad2d_backward replication_pad3d_backward",
        Work::arithmetic(1),
        Work::NONE,
    ),
    reduce(
        "affine_grid_generator_backward cudnn_affine_grid_generator_backward",
        Work::arithmetic(6),
        Work::NONE,
    ),
    each(
        "affine_grid_generator cudnn_affine_grid_generator",
        Work::arithmetic(6),
    ),
];
